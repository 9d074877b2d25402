import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'src/**/*.test.ts',
      'conformance/**/*.test.ts',
      'bench/**/*.test.ts',
      'runtime/*.test.ts',
      'scripts/*.test.ts',
    ],
    reporters: ['default', './vitest.left-out.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    setupFiles: ['vitest.setup.ts'],
    globalSetup: ['src/database/testing/global-setup.ts'],
  },
});
