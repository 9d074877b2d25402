/** User names and generated passwords of the embedded server, in a file that only the owner of the process reads. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KagamiError } from '../../errors/kagami-error.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** The owner of everything (a superuser of the embedded server), and the user of the interfaces, who only reads. */
export interface EmbeddedCredentials {
  readonly owner: Credentials;
  readonly reader: Credentials;
}

export const credentialsFile = (dataDir: string): string => join(dataDir, 'credentials.json');

const generate = (username: string): Credentials => ({ username, password: randomBytes(24).toString('base64url') });

const isCredentials = (value: unknown): value is Credentials =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Credentials).username === 'string' &&
  typeof (value as Credentials).password === 'string';

/**
 * Reads the file, or writes a new one when there is no cluster yet.
 * @throws KagamiError DATA_FOLDER_UNUSABLE when a cluster exists but its credentials are lost or damaged
 */
export const loadCredentials = (dataDir: string, clusterExists: boolean): EmbeddedCredentials => {
  const path = credentialsFile(dataDir);
  if (existsSync(path)) {
    try {
      const { owner, reader } = JSON.parse(readFileSync(path, 'utf8')) as Partial<EmbeddedCredentials>;
      if (isCredentials(owner) && isCredentials(reader)) return { owner, reader };
    } catch {
      // reported below
    }
    if (clusterExists) {
      throw new KagamiError('DATA_FOLDER_UNUSABLE', `The file ${path} is damaged`, { details: { path } });
    }
  } else if (clusterExists) {
    throw new KagamiError('DATA_FOLDER_UNUSABLE', `The file ${path} with the passwords is missing`, {
      details: { path },
    });
  }
  const credentials = { owner: generate('mirror_node'), reader: generate('mirror_reader') };
  writeFileSync(`${path}.new`, `${JSON.stringify(credentials, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return credentials;
};
