import { defineConfig } from 'vitest/config';

/**
 * Test files share processes, because starting one per file took longer than the tests. They mostly wait, so use all
 * cores.
 */
const together = { isolate: false, maxWorkers: '100%' };

/** Groups run one after the other, so that tests that measure time in a browser have the machine to themselves. */
const project = (name: string, group: number, include: string[], extra: Record<string, unknown> = {}) => ({
  test: { name, include, environment: 'node', testTimeout: 20_000, sequence: { groupOrder: group }, ...extra },
});

export default defineConfig({
  test: {
    reporters: ['default', './tests/plain-reporter.ts'],
    projects: [
      project('unit', 0, ['tests/unit/**/*.test.ts'], {
        exclude: ['tests/unit/client/**'],
        ...together,
      }),
      project('dom', 0, ['tests/unit/client/**/*.test.ts'], { environment: 'jsdom', ...together }),
      project('faults', 1, ['tests/faults/**/*.test.ts'], { testTimeout: 120_000, hookTimeout: 60_000 }),
      project('browser', 2, ['tests/browser/**/*.test.ts'], {
        testTimeout: 60_000,
        hookTimeout: 60_000,
        expect: { poll: { timeout: 10_000, interval: 25 } },
        fileParallelism: false,
      }),
      project('e2e', 3, ['tests/e2e/**/*.test.ts'], {
        testTimeout: 60_000,
        hookTimeout: 60_000,
        expect: { poll: { timeout: 30_000, interval: 100 } },
        fileParallelism: false,
      }),
    ],
  },
});
