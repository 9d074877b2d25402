import { describe, expect, it } from 'vitest';
import type { Route } from '../route.ts';
import { contentTypeProblem } from './content-type.ts';

const route = (content?: Readonly<Record<string, object>>): Route => ({
  method: 'POST',
  path: '/p',
  flavour: 'java',
  operation: {
    operationId: 'test',
    summary: 'Test',
    tags: [],
    parameters: [],
    answer: { description: 'Test.', schema: {} },
    problems: [],
    ...(content === undefined ? {} : { requestBody: { description: 'Test.', content: content as never } }),
  },
  handle: () => Promise.reject(new Error('unused')),
});

describe('the type of a body', () => {
  const bytes = route({ 'application/protobuf': {}, 'application/x-protobuf': {} });

  it.each(['application/protobuf', 'application/x-protobuf', 'Application/PROTOBUF', 'application/protobuf ; a=b'])(
    'may be %s',
    (type) => expect(contentTypeProblem(bytes, type)).toBeUndefined(),
  );

  it.each([
    ['application/json', "Content-Type 'application/json' is not supported"],
    ['application/json;charset=UTF-8', "Content-Type 'application/json;charset=UTF-8' is not supported"],
    ['toString', "Content-Type 'toString' is not supported"],
    ['', 'Content-Type is not supported'],
    [undefined, 'Content-Type is not supported'],
  ])('may not be %s', (type, detail) => {
    expect(contentTypeProblem(bytes, type)).toMatchObject({
      status: 415,
      messages: [{ message: 'Unsupported Media Type', detail }],
    });
  });

  it('is not looked at where the route names none', () => {
    expect(contentTypeProblem(route(), 'x/y')).toBeUndefined();
    expect(contentTypeProblem(route(), undefined)).toBeUndefined();
  });
});
