import { describe, expect, it } from 'vitest';
import { KagamiError } from '../../errors/kagami-error.ts';
import { badRequest, HttpProblem, problemBody } from '../problem.ts';
import { failureOf } from './failure.ts';

const bodyOf = (error: unknown, flavour: 'js' | 'java') => {
  const { problem } = failureOf(error, flavour);
  return { status: problem.status, messages: JSON.parse(problemBody(problem.messages))._status.messages };
};

describe('failureOf', () => {
  it('lets problems pass', () => {
    const problem = badRequest('Invalid parameter: limit', 'Unknown query parameter: x');
    expect(failureOf(problem, 'js')).toEqual({ problem, unexpected: false });
    expect(bodyOf(problem, 'js')).toEqual({
      status: 400,
      messages: [{ message: 'Invalid parameter: limit' }, { message: 'Unknown query parameter: x' }],
    });
  });

  it('says that the schema is missing', () => {
    const error = new KagamiError('SCHEMA_NOT_READY', 'relation "entity" does not exist');
    for (const flavour of ['js', 'java'] as const) {
      expect(bodyOf(error, flavour)).toEqual({
        status: 503,
        messages: [
          {
            message: 'Service Unavailable',
            detail: 'The database has no schema yet. It is served as soon as the migrations have run.',
          },
        ],
      });
    }
  });

  it('gives 503 for a statement time-out and an unreachable database, without naming hosts', () => {
    expect(bodyOf(new KagamiError('DATABASE_TIMEOUT', 'canceling statement'), 'java')).toEqual({
      status: 503,
      messages: [{ message: 'Service Unavailable' }],
    });
    expect(bodyOf(new KagamiError('DATABASE_UNAVAILABLE', 'connect ECONNREFUSED 10.0.0.7:5432'), 'js')).toEqual({
      status: 503,
      messages: [{ message: 'Service Unavailable', detail: 'The database cannot be reached.' }],
    });
  });

  it('gives 500 for the unexpected, in the words of the flavour', () => {
    expect(failureOf(new TypeError('x is not a function'), 'js').unexpected).toBe(true);
    expect(bodyOf(new TypeError('x is not a function'), 'js')).toEqual({
      status: 500,
      messages: [{ message: 'Internal error' }],
    });
    expect(bodyOf(new KagamiError('DATABASE_QUERY_FAILED', 'syntax error'), 'java')).toEqual({
      status: 500,
      messages: [{ message: 'Internal Server Error' }],
    });
  });

  it('keeps the status of refusals by the HTTP framework', () => {
    expect(bodyOf(Object.assign(new Error('too large'), { statusCode: 413 }), 'js')).toEqual({
      status: 413,
      messages: [{ message: 'Payload Too Large' }],
    });
  });

  it('leaves absent members out of bodies', () => {
    const problem = new HttpProblem(400, [{ message: 'a', data: '0x' }]);
    expect(problemBody(problem.messages)).toBe('{"_status":{"messages":[{"message":"a","data":"0x"}]}}');
  });
});
