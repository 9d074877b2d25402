import { describe, expect, it } from 'vitest';
import { wantsInt64Texts } from './accept.ts';

describe('wantsInt64Texts', () => {
  it.each([
    'application/json; int64=string',
    'application/json;int64=string',
    'Application/JSON; Int64="String"',
    'application/json;charset=utf-8;int64=string',
    'text/html, application/json;int64=string',
    'application/json;int64=string, */*;q=0.1',
    'application/json;int64=string, application/json',
    'application/json;q=0.5, application/json;int64=string;q=0.5',
    'application/json;int64=string;q=0.2, text/plain',
    'application/json;q=0.1, application/json;int64=string;q=0.4, */*',
  ])('says yes to %s', (accept) => {
    expect(wantsInt64Texts(accept)).toBe(true);
  });

  it.each([
    undefined,
    '',
    '*/*',
    'application/json',
    'application/json; int64=number',
    'application/xml; int64=string',
    'application/json;int64=string;q=0',
    'application/json;int64=string;q=0.3, application/json;q=0.8',
    'application/json;int64=string;q=0.3, */*',
    'application/json;int64=string;q=x',
  ])('says no to %s', (accept) => {
    expect(wantsInt64Texts(accept)).toBe(false);
  });
});
