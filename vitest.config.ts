import { defineConfig } from 'vitest/config';

const project = (name: string, include: string[], extra: Record<string, unknown> = {}) => ({
  test: { name, include, environment: 'node', ...extra },
});

export default defineConfig({
  test: {
    reporters: ['default', './tests/plain-reporter.ts'],
    projects: [
      project('unit', ['tests/unit/**/*.test.ts'], { exclude: ['tests/unit/client/**'] }),
      project('dom', ['tests/unit/client/**/*.test.ts'], { environment: 'jsdom' }),
      project('faults', ['tests/faults/**/*.test.ts'], { testTimeout: 120_000, hookTimeout: 60_000 }),
      project('browser', ['tests/browser/**/*.test.ts'], {
        testTimeout: 60_000,
        hookTimeout: 60_000,
        fileParallelism: false,
      }),
      project('e2e', ['tests/e2e/**/*.test.ts'], { testTimeout: 60_000, hookTimeout: 60_000, fileParallelism: false }),
    ],
  },
});
