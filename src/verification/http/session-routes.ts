/** `/session/...`: files in one request, verification in another, and the names that these had before. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { UploadedFile } from '../model.ts';
import type { SessionDesk } from '../sessions/session-desk.ts';
import type { DeploymentClaim } from '../sessions/session-state.ts';
import type { Verifier } from '../verifier.ts';
import { type BodyKind, bodyOf, filesOf, MAX_FILE_BYTES } from './body.ts';
import { knownMetadataFiles } from './known-metadata.ts';
import { invalidValue, missingProperty, problem } from './problem.ts';
import { fetchRemoteFile } from './remote-file.ts';
import {
  booleanParameter,
  contractOf,
  type Fields,
  isObject,
  optionalText,
  queryOf,
  requiredText,
} from './request-checks.ts';
import type { SessionCookies } from './session-cookie.ts';
import { metadataFilesOf, parseStandardJson } from './standard-json.ts';

export interface SessionRoutesOptions {
  readonly verifier: Verifier;
  readonly desk: SessionDesk;
  readonly cookies: SessionCookies;
  /** Hosts that `?url=` may name. */
  readonly importHosts: readonly string[];
  readonly clientOf: (request: FastifyRequest) => string;
}

const forms: readonly BodyKind[] = ['application/json', 'multipart/form-data'];
const plainForms: readonly BodyKind[] = ['application/json', 'application/x-www-form-urlencoded'];

const noFiles = () => problem(400, 'There should be files in the <files> field');

/** Items of `contracts`; other members are passed over, since clients send back what they were given. */
const claimsOf = (verifier: Verifier, fields: Fields): DeploymentClaim[] => {
  const { contracts } = fields;
  if (contracts === undefined) throw missingProperty('/body', 'contracts');
  if (!Array.isArray(contracts)) throw invalidValue('/body/contracts', 'must be array', 'type');
  return contracts.map((item: unknown, i): DeploymentClaim => {
    const where = `/body/contracts/${i}`;
    if (!isObject(item)) throw invalidValue(where, 'must be object', 'type');
    const verificationId = requiredText(item, 'verificationId', where);
    const contract = contractOf(verifier, item, 'chainId', where);
    const creatorTxHash = optionalText(item, 'creatorTxHash', where);
    return { verificationId, ...contract, ...(creatorTxHash === undefined ? {} : { creatorTxHash }) };
  });
};

export const registerSessionRoutes = (scope: FastifyInstance, options: SessionRoutesOptions): void => {
  const { verifier, desk, cookies, importHosts, clientOf } = options;

  const post = (
    paths: readonly string[],
    bodies: readonly BodyKind[],
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ): void => {
    for (const url of paths) {
      scope.route({
        method: 'POST',
        url,
        bodyLimit: MAX_FILE_BYTES,
        config: { verificationBodies: bodies },
        handler,
      });
    }
  };

  for (const path of ['/session/data', '/session-data']) {
    scope.get(path, async (request, reply) => {
      queryOf(request.url, []);
      return desk.data(await cookies.open(request, reply));
    });
  }

  for (const path of ['/session/clear', '/restart-session']) {
    scope.post(path, async (request, reply) => {
      const id = await cookies.peek(request);
      if (id !== undefined) await desk.clear(id);
      return reply.type('text/html; charset=utf-8').send('Session successfully cleared');
    });
  }

  post(['/session/input-files', '/input-files'], forms, async (request, reply) => {
    const query = queryOf(request.url, ['url', 'dryrun']);
    booleanParameter(query, 'dryrun');
    const url = query.get('url');
    const sent = filesOf(await bodyOf(request));
    const id = await cookies.open(request, reply);
    const files: readonly UploadedFile[] | undefined = url === null ? sent : [await fetchRemoteFile(url, importHosts)];
    if (files === undefined) throw noFiles();
    return desk.addFiles(id, clientOf(request), files);
  });

  post(['/session/input-contract'], plainForms, async (request, reply) => {
    queryOf(request.url, []);
    const contract = contractOf(verifier, (await bodyOf(request)).fields, 'chainId');
    const id = await cookies.open(request, reply);
    return desk.addFiles(id, clientOf(request), await knownMetadataFiles(verifier, contract));
  });

  post(['/session/input-solc-json'], forms, async (request, reply) => {
    queryOf(request.url, []);
    const body = await bodyOf(request);
    const compilerVersion = requiredText(body.fields, 'compilerVersion');
    if (body.kind === 'application/json' && body.fields.files === undefined) throw missingProperty('/body', 'files');
    const inputs = filesOf(body);
    const id = await cookies.open(request, reply);
    if (inputs === undefined) throw noFiles();
    const files: UploadedFile[] = [];
    for (const input of inputs) {
      files.push(...(await metadataFilesOf(verifier, parseStandardJson(input), compilerVersion, clientOf(request))));
    }
    return desk.addFiles(id, clientOf(request), files);
  });

  post(
    ['/session/verify-checked', '/session/verify-validated', '/verify-validated'],
    ['application/json'],
    async (request, reply) => {
      const dryRun = booleanParameter(queryOf(request.url, ['dryrun']), 'dryrun');
      const { fields } = await bodyOf(request);
      // Without pending contracts that is what clients hear first, whatever else they sent.
      const claims = fields.contracts === undefined ? undefined : claimsOf(verifier, fields);
      const id = await cookies.open(request, reply);
      await desk.requireContracts(id);
      if (claims === undefined) throw missingProperty('/body', 'contracts');
      return desk.verify(id, clientOf(request), claims, dryRun);
    },
  );

  post(['/session/verify/explorer', '/session/verify/etherscan'], plainForms, async (request, reply) => {
    queryOf(request.url, []);
    const { fields } = await bodyOf(request);
    const contract = contractOf(verifier, fields, 'chainId');
    const apiKey = optionalText(fields, 'apiKey');
    const id = await cookies.open(request, reply);
    return desk.verifyFromExplorer(id, clientOf(request), contract, apiKey);
  });
};
