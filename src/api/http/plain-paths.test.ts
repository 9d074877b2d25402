import { expect, it } from 'vitest';
import type { Route } from '../route.ts';
import { plainPathFinder } from './plain-paths.ts';

const paths = [
  '/api/v1/accounts',
  '/api/v1/accounts/{id}',
  '/api/v1/accounts/{id}/nfts',
  '/api/v1/contracts/{id}/results',
  '/api/v1/contracts/results/{hash}',
  '/api/v1/contracts/results/logs',
  '/api/v1/contracts/{id}/results/{timestamp}',
];

const find = plainPathFinder(paths.map((path) => ({ path }) as Route));

it.each([
  ['/api/v1/accounts', '/api/v1/accounts', {}],
  ['/api/v1/accounts/0.0.5', '/api/v1/accounts/{id}', { id: '0.0.5' }],
  ['/api/v1/accounts/0xAb-_@.', '/api/v1/accounts/{id}', { id: '0xAb-_@.' }],
  ['/api/v1/accounts/nfts', '/api/v1/accounts/{id}', { id: 'nfts' }],
  ['/api/v1/contracts/results/logs', '/api/v1/contracts/results/logs', {}],
  ['/api/v1/contracts/results/0x1', '/api/v1/contracts/results/{hash}', { hash: '0x1' }],
  ['/api/v1/contracts/5/results', '/api/v1/contracts/{id}/results', { id: '5' }],
  ['/api/v1/contracts/results/results', '/api/v1/contracts/results/{hash}', { hash: 'results' }],
  ['/api/v1/contracts/5/results/1.2', '/api/v1/contracts/{id}/results/{timestamp}', { id: '5', timestamp: '1.2' }],
])('finds %s', (path, route, pathParameters) => {
  expect(find(path)).toEqual({ route: { path: route }, pathParameters });
});

it.each([
  '',
  '/',
  '/api/v1/accounts/',
  '/API/v1/accounts',
  '/api/v1//accounts',
  '/api/v1/nothing',
  '/api/v1/accounts/0.0.5/others',
  '/api/v1/accounts/0%2E0.5',
  '/api/v1/accounts/a;b',
  '/api/v1/accounts/a:b',
  `/api/v1/accounts/${'a'.repeat(600)}`,
])('leaves %s to others', (path) => {
  expect(find(path)).toBeUndefined();
});
