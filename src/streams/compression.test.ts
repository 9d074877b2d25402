import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { contentOf } from './compression.ts';

/** More than zlib gives at a time. */
const content = randomBytes(300_000);

/** The file with another size in its last four bytes, as zlib checks it. */
const stating = (size: number): Buffer => {
  const file = gzipSync(content);
  file.writeUInt32LE(size, file.length - 4);
  return file;
};

describe('the content of a compressed file', () => {
  it('lies in memory of its own size, not put together from chunks', () => {
    const { bytes, compression } = contentOf('file', gzipSync(content));
    expect(compression).toBe('gzip');
    expect(content.equals(bytes)).toBe(true);
    expect(bytes.buffer.byteLength).toBe(content.length + 1);
  });

  it('of several members is whole, whatever the last of them says', () => {
    const members = [content, Buffer.from('tail'), content.subarray(0, 20_000)];
    const { bytes } = contentOf('file', Buffer.concat(members.map((member) => gzipSync(member))));
    expect(Buffer.concat(members).equals(bytes)).toBe(true);
  });

  it.each([0, content.length - 1, content.length + 1, 0xff_ff_ff_ff])(
    'is refused where its size is said to be %i',
    (size) => {
      expect(() => contentOf('file', stating(size))).toThrow(
        expect.objectContaining({ code: 'STREAM_BAD_COMPRESSION' }),
      );
    },
  );

  it('is read up to the limit and not a byte beyond, also where the file says that it holds less', () => {
    expect(contentOf('file', gzipSync(content), content.length).bytes.length).toBe(content.length);
    const oversized = expect.objectContaining({ code: 'STREAM_OVERSIZED' });
    expect(() => contentOf('file', gzipSync(content), content.length - 1)).toThrow(oversized);
    expect(() => contentOf('file', stating(1), 100_000)).toThrow(oversized);
  });
});
