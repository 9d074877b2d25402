import { describe, expect, it } from 'vitest';
import { loadSettings } from '../../config/load.ts';
import { externalTarget, placeOf } from './database-target.ts';

const target = (env: Record<string, string>) =>
  externalTarget(loadSettings({ cwd: '/', env, readFile: () => undefined }));

describe('externalTarget', () => {
  it('is the embedded server unless something else is said', () => {
    expect(target({})).toBeUndefined();
    expect(target({ HIERO_MIRROR_REST_DB_PASSWORD: 'x' })).toBeUndefined();
  });

  it('takes a URL for everything', () => {
    const url = 'postgres://me:secret@db:6432/ledger';
    expect(target({ KAGAMI_DATABASE_URL: url })).toEqual({ owner: url, writer: url, reader: url, schema: 'public' });
  });

  it('lets the interfaces follow the importer to its server, as their own user', () => {
    const found = target({ HIERO_MIRROR_IMPORTER_DB_HOST: 'db', HIERO_MIRROR_IMPORTER_DB_NAME: 'ledger' });
    expect(placeOf(found?.writer ?? '')).toBe('db:5432/ledger');
    expect(placeOf(found?.reader ?? '')).toBe('db:5432/ledger');
    expect(new URL(found?.owner ?? '').username).toBe('mirror_node');
    expect(new URL(found?.writer ?? '').username).toBe('mirror_importer');
    expect(new URL(found?.reader ?? '').username).toBe('mirror_api');
  });

  it('lets the interfaces read a replica', () => {
    const found = target({ HIERO_MIRROR_IMPORTER_DB_HOST: 'db', HIERO_MIRROR_REST_DB_HOST: 'replica' });
    expect(placeOf(found?.writer ?? '')).toBe('db:5432/mirror_node');
    expect(placeOf(found?.reader ?? '')).toBe('replica:5432/mirror_node');
  });

  it('needs nothing of the importer where only interfaces run', () => {
    const found = target({ KAGAMI_ROLES: 'rest', HIERO_MIRROR_REST_DB_HOST: 'replica' });
    expect(placeOf(found?.reader ?? '')).toBe('replica:5432/mirror_node');
  });

  it('shows places without credentials', () => {
    expect(placeOf('postgres://me:secret@db:1/x')).toBe('db:1/x');
  });
});
