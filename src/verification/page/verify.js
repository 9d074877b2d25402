/** The page of verification: a session of files, a try, and what has been verified. No library, no other host. */

const $ = (id) => document.getElementById(id);

const element = (name, properties = {}, children = []) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

const say = (id, text, kind = '') => {
  $(id).textContent = text;
  $(id).className = kind;
};

/** JSON of an answer; throws with the message that the server gives. */
const ask = async (url, options) => {
  let answer;
  try {
    answer = await fetch(url, options);
  } catch {
    throw new Error('The server cannot be reached.');
  }
  const text = await answer.text();
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    body = { message: text };
  }
  if (!answer.ok) throw new Error(body.message || `The server answered ${answer.status}.`);
  return body;
};

const asJson = (body) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

let session = { contracts: [], unused: [], files: [] };
/** Ids of contracts that matched in the last dry run, and what it was made with. */
let checked;

const isComplete = ({ files }) => files.missing.length === 0 && Object.keys(files.invalid).length === 0;

const nounOf = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`;

const stateOf = (contract) => {
  const { status, files, address, statusMessage } = contract;
  if (status === 'perfect') return ['Full match', 'good', 'Code and metadata agree.'];
  if (status === 'partial') return ['Partial match', 'middling', 'The code agrees, the metadata hash does not.'];
  if (files.missing.length > 0) return [`${nounOf(files.missing.length, 'source')} missing`, 'middling', ''];
  if (!isComplete(contract)) return ['Sources do not fit', 'bad', ''];
  if (address !== undefined) return ['No match', 'bad', statusMessage ?? ''];
  return ['Ready to check', '', ''];
};

const listOf = (title, items, kind = '') =>
  items.length === 0
    ? []
    : [
        ...(title === '' ? [] : [element('p', { textContent: title, className: kind })]),
        element(
          'ul',
          {},
          items.map((item) => element('li', { textContent: item })),
        ),
      ];

const contractView = (contract) => {
  const { name, compiledPath, compilerVersion, files, address, chainId } = contract;
  const [state, kind, explanation] = stateOf(contract);
  return element('article', { className: 'contract' }, [
    element('h3', { textContent: name }),
    element('p', { className: 'soft message', textContent: `${compiledPath}, compiler ${compilerVersion}` }),
    element('p', {}, [element('span', { className: `state ${kind}`, textContent: state })]),
    ...(address === undefined
      ? []
      : [element('p', { className: 'soft message', textContent: `${address} on ${chainId}` })]),
    ...(explanation === '' ? [] : [element('p', { className: 'message', textContent: explanation })]),
    ...listOf('', files.missing),
    ...listOf(
      'Sources that differ from what the metadata says',
      Object.entries(files.invalid).map(([path, { msg }]) => `${path}: ${msg}`),
      'bad',
    ),
    element('details', {}, [
      element('summary', { textContent: `${nounOf(files.found.length, 'source')} found` }),
      element(
        'ul',
        {},
        files.found.map((path) => element('li', { textContent: path })),
      ),
    ]),
  ]);
};

const show = (next) => {
  session = next;
  $('contracts').replaceChildren(...session.contracts.map(contractView));
  const { files, unused, contracts } = session;
  $('clear').hidden = files.length === 0;
  const uploaded = $('uploaded');
  uploaded.hidden = files.length === 0;
  uploaded.querySelector('summary').textContent =
    unused.length === 0
      ? `${nounOf(files.length, 'file')} in the session`
      : `${nounOf(files.length, 'file')} in the session, ${unused.length} of them not used`;
  uploaded
    .querySelector('ul')
    .replaceChildren(
      ...files.map((path) => element('li', { textContent: unused.includes(path) ? `${path} (not used)` : path })),
    );
  if (files.length > 0 && contracts.length === 0) {
    say(
      'upload-state',
      'No metadata among these files. The compiler writes it; Hardhat keeps it in build-info.',
      'middling',
    );
  }
};

/** What the last check found is about other files or another contract than those on the page now. */
const forget = () => {
  checked = undefined;
  $('store').disabled = true;
  say('verify-state', '');
  const contracts = session.contracts.map(
    ({ address, chainId, status, statusMessage, storageTimestamp, ...contract }) => contract,
  );
  $('contracts').replaceChildren(...contracts.map(contractView));
};

const forgetLookup = () => {
  say('lookup-state', '');
  $('found').replaceChildren();
};

const upload = async (files) => {
  if (files.length === 0) return;
  forget();
  say('upload-state', `Sending ${nounOf(files.length, 'file')} …`);
  const form = new FormData();
  for (const file of files) form.append('files', file, file.webkitRelativePath || file.name);
  try {
    const answer = await ask('/session/input-files', { method: 'POST', body: form });
    say('upload-state', '');
    show(answer);
  } catch (error) {
    say('upload-state', error.message, 'bad');
  }
};

/** Files of what was dropped, also those in folders. */
const droppedFiles = async (items) => {
  const filesOf = async (entry) => {
    if (entry.isFile) return [await new Promise((resolve, reject) => entry.file(resolve, reject))];
    const reader = entry.createReader();
    const found = [];
    for (;;) {
      const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      if (entries.length === 0) return found;
      for (const child of entries) found.push(...(await filesOf(child)));
    }
  };
  const entries = [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  return (await Promise.all(entries.map(filesOf))).flat();
};

const isAddress = (text) => /^(0x)?[0-9a-fA-F]{40}$/.test(text);
const isContractId = (text) => /^(\d+\.){0,2}\d+$/.test(text);

/** The EVM address of a contract that is named by its id. */
const addressOfId = async (id) => {
  const answer = await fetch(`/api/v1/contracts/${id}`);
  if (answer.status === 404) throw new Error(`There is no contract ${id} on this network.`);
  if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
  return (await answer.json()).evm_address;
};

/** The address in the field, or undefined once the fault has been shown. */
const addressIn = async (field, fault) => {
  const text = field.value.trim();
  let problem = '';
  let address;
  if (isAddress(text)) address = text;
  else if (isContractId(text)) {
    try {
      address = await addressOfId(text);
    } catch (error) {
      problem = error.message;
    }
  } else problem = 'Give an EVM address, which has 40 hex digits after 0x, or a contract id such as 0.0.1234.';
  field.setAttribute('aria-invalid', String(address === undefined));
  $(fault).textContent = problem;
  if (address === undefined) field.focus();
  return address;
};

const verify = async (ids, address, dryRun) => {
  const creatorTxHash = $('creator').value.trim() || null;
  const contracts = ids.map((verificationId) => ({
    verificationId,
    address,
    chainId: $('chain').value,
    creatorTxHash,
  }));
  const answer = await ask(`/session/verify-checked?dryrun=${dryRun}`, asJson({ contracts }));
  show(answer);
  return answer.contracts.filter(({ verificationId }) => ids.includes(verificationId));
};

const matched = (contracts) =>
  contracts.find(({ status }) => status === 'perfect') ?? contracts.find(({ status }) => status === 'partial');

const busy = (isBusy) => {
  $('check').disabled = isBusy;
  $('verify').setAttribute('aria-busy', String(isBusy));
};

const check = async () => {
  forget();
  const address = await addressIn($('address'), 'address-fault');
  if (address === undefined) return;
  const complete = session.contracts.filter(isComplete);
  if (complete.length === 0) {
    const text =
      session.contracts.length === 0 ? 'Add the files of a contract first.' : 'Add the missing sources first.';
    say('verify-state', text, 'middling');
    return;
  }
  busy(true);
  say('verify-state', 'Compiling and comparing …');
  try {
    const ids = complete.map(({ verificationId }) => verificationId);
    const results = await verify(ids, address, true);
    const match = matched(results);
    if (match === undefined) {
      const [first] = results;
      say(
        'verify-state',
        `No match. ${results.length === 1 ? (first.statusMessage ?? '') : 'Each contract above says why.'}`,
        'bad',
      );
      return;
    }
    checked = { id: match.verificationId, address };
    $('store').disabled = match.storageTimestamp !== undefined && match.status === 'perfect';
    const kind = match.status === 'perfect' ? 'good' : 'middling';
    const [state, , explanation] = stateOf(match);
    const known =
      match.storageTimestamp === undefined ? '' : ` Verified before, ${match.storageTimestamp.slice(0, 10)}.`;
    say('verify-state', `${state} with ${match.name}. ${explanation}${known}`, kind);
  } catch (error) {
    say('verify-state', error.message, 'bad');
  } finally {
    busy(false);
  }
};

const lookUp = async (chain, address) => {
  say('lookup-state', 'Looking …');
  $('found').replaceChildren();
  try {
    const { status, files } = await ask(`/files/any/${chain}/${address}`);
    say(
      'lookup-state',
      status === 'full' ? 'Verified: full match.' : 'Verified: partial match.',
      status === 'full' ? 'good' : 'middling',
    );
    $('found').replaceChildren(
      ...files.map(({ path, content }) =>
        element('details', {}, [
          element('summary', { textContent: path.split('/').slice(4).join('/') }),
          element('p', {}, [
            element('a', { href: `/repository/${encodeURI(path)}`, textContent: 'Open the file alone' }),
          ]),
          element('pre', { textContent: content, tabIndex: 0 }),
        ]),
      ),
    );
  } catch (error) {
    const isMissing = error.message === 'Files have not been found!';
    say('lookup-state', isMissing ? 'This contract has not been verified.' : error.message, isMissing ? '' : 'bad');
  }
};

const store = async () => {
  if (checked === undefined) return;
  const { id, address } = checked;
  busy(true);
  $('store').disabled = true;
  say('verify-state', 'Verifying and publishing …');
  try {
    const match = matched(await verify([id], address, false));
    if (match === undefined) {
      const contract = session.contracts.find(({ verificationId }) => verificationId === id);
      say('verify-state', contract?.statusMessage ?? 'No match.', 'bad');
      return;
    }
    say('verify-state', `${match.name} is verified and its sources are published.`, 'good');
    $('lookup-chain').value = match.chainId;
    $('lookup-address').value = match.address;
    await lookUp(match.chainId, match.address);
  } catch (error) {
    say('verify-state', error.message, 'bad');
  } finally {
    busy(false);
  }
};

const drop = $('drop');
drop.addEventListener('dragover', (event) => {
  event.preventDefault();
  drop.classList.add('over');
});
drop.addEventListener('dragleave', () => drop.classList.remove('over'));
drop.addEventListener('drop', async (event) => {
  event.preventDefault();
  drop.classList.remove('over');
  await upload(await droppedFiles(event.dataTransfer.items));
});
for (const id of ['files', 'folder']) {
  $(id).addEventListener('change', async ({ target }) => {
    await upload([...target.files]);
    target.value = '';
  });
}
$('clear').addEventListener('click', async () => {
  forget();
  say('verify-state', '');
  try {
    await fetch('/session/clear', { method: 'POST' });
    say('upload-state', 'The session is empty.');
    show({ contracts: [], unused: [], files: [] });
    $('files').focus();
  } catch {
    say('upload-state', 'The server cannot be reached.', 'bad');
  }
});
$('verify').addEventListener('submit', (event) => {
  event.preventDefault();
  check();
});
for (const id of ['address', 'creator', 'chain']) $(id).addEventListener('input', forget);
$('store').addEventListener('click', store);
for (const id of ['lookup-address', 'lookup-chain']) $(id).addEventListener('input', forgetLookup);
const lookUpField = async () => {
  const address = await addressIn($('lookup-address'), 'lookup-fault');
  if (address !== undefined) await lookUp($('lookup-chain').value, address);
};
$('lookup').addEventListener('submit', (event) => {
  event.preventDefault();
  lookUpField();
});

try {
  const chains = await ask('/chains');
  for (const id of ['chain', 'lookup-chain']) {
    $(id).append(...chains.map(({ chainId, name }) => new Option(`${name} (${chainId})`, String(chainId))));
  }
  // Links that tools print after a verification lead here.
  const linked = new URLSearchParams(location.search);
  if (linked.has('address')) {
    const chain = linked.get('chain');
    if (chains.some(({ chainId }) => String(chainId) === chain)) $('lookup-chain').value = chain;
    $('lookup-address').value = linked.get('address');
    await lookUpField();
    $('lookup-heading').scrollIntoView();
  }
  show(await ask('/session/data'));
} catch (error) {
  say('upload-state', error.message, 'bad');
}
