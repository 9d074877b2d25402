import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { documentSettings, foremostSettings } from './documentation.ts';
import { duration, integer, list, secret, text } from './setting.ts';
import { rootSettings } from './settings/root.ts';

const committed = new URL('../../docs/configuration.md', import.meta.url);

describe('documentSettings', () => {
  it('has a row for each setting, with elements of lists, bounds and hidden secrets', () => {
    const page = documentSettings({
      kagami: {
        port: integer(5551, 'Port.', { min: 1, max: 65_535 }),
        pause: duration(90_000, 'Pause | break.'),
        password: secret('canary', 'Password.'),
        users: list({ name: text('', 'Name.') }, [], 'Users.'),
      },
    });
    expect(page).toContain('## kagami\n\nEnvironment: `KAGAMI_...`');
    expect(page).toContain('| `port` | `5551` | a whole number from 1 to 65535 | Port. |');
    expect(page).toContain('| `pause` | `90s` | a duration | Pause \\| break. |');
    expect(page).toContain('| `password` | `******` | a text, never shown | Password. |');
    expect(page).toContain(
      '| `users` | `[]` | a list of groups | Users. |\n| `users[].name` | empty | a text | Name. |',
    );
    expect(page).not.toContain('canary');
  });

  it('made docs/configuration.md (run scripts/write-configuration-docs.ts when this fails)', () => {
    expect(existsSync(committed)).toBe(true);
    expect(readFileSync(committed, 'utf8')).toBe(documentSettings(rootSettings, foremostSettings));
  });
});
