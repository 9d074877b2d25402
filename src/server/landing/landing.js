/** The page at `/`: the newest block, and addresses as the reader's own tools need them. No library, no other host. */

const $ = (id) => document.getElementById(id);

const REFRESH_MS = 2_000;

const { origin } = location;
$('curl').textContent = `curl '${origin}/api/v1/transactions?limit=1'`;
$('relay').textContent = `MIRROR_NODE_URL=${origin}`;
$('call').textContent = $('call').textContent.replace("'/api", `'${origin}/api`);

const say = (text, kind = '') => {
  $('now-state').textContent = text;
  $('now-state').className = kind;
};

const show = (block) => {
  $('now').hidden = false;
  const link = Object.assign(document.createElement('a'), {
    href: `/api/v1/blocks/${block.number}`,
    textContent: block.number.toLocaleString('en'),
  });
  $('now-block').replaceChildren(link);
  const seconds = Number(block.timestamp.to.split('.')[0]);
  $('now-time').textContent = new Date(seconds * 1000).toISOString().replace('T', ' ').replace('.000Z', ' UTC');
  $('now-count').textContent = block.count.toLocaleString('en');
  $('now-hapi').textContent = block.hapi_version ?? 'unknown';
};

const refresh = async () => {
  try {
    const answer = await fetch('/api/v1/blocks?limit=1');
    if (answer.status === 503) return say('The database is being started.');
    if (!answer.ok) return say(`The server answered ${answer.status}.`, 'bad');
    const [block] = (await answer.json()).blocks;
    if (block === undefined) return say('No block has been imported yet.');
    say('');
    show(block);
  } catch {
    say('The server cannot be reached.', 'bad');
  }
};

const showChain = async () => {
  try {
    const answer = await fetch('/chains');
    const [chain] = answer.ok ? await answer.json() : [];
    $('now-chain').textContent = chain === undefined ? 'unknown' : `${chain.chainId} (${chain.name})`;
  } catch {
    $('now-chain').textContent = 'unknown';
  }
};

const again = async () => {
  if (!document.hidden) await refresh();
  setTimeout(again, REFRESH_MS);
};

await showChain();
await again();
