import { describe, expect, it } from 'vitest';
import { record } from './record.ts';

const shape = record<{ readonly name: string; readonly sides: number | undefined }>('Shape', {
  hint: { schema: { type: 'string' }, isOptional: true, json: ({ name }) => (name === '' ? '"nameless"' : '') },
  name: { schema: { type: 'string' }, json: ({ name }) => JSON.stringify(name) },
  sides: {
    schema: { type: 'integer' },
    isOptional: true,
    json: ({ sides }) => (sides === undefined ? '' : `${sides}`),
  },
});

describe('a record', () => {
  it('has its members in order, less those that are left out', () => {
    expect(shape.json({ name: 'a "square"', sides: 4 })).toBe('{"name":"a \\"square\\"","sides":4}');
    expect(shape.json({ name: 'blob', sides: undefined })).toBe('{"name":"blob"}');
    expect(shape.json({ name: '', sides: 3 })).toBe('{"hint":"nameless","name":"","sides":3}');
  });

  it('requires what is always there', () => {
    expect(shape.schema).toEqual({ $ref: '#/components/schemas/Shape' });
    expect(shape.schemas).toEqual({
      Shape: {
        type: 'object',
        required: ['name'],
        properties: { hint: { type: 'string' }, name: { type: 'string' }, sides: { type: 'integer' } },
      },
    });
  });
});
