import { createWorkQueue } from '../../shared/work-queue.ts';
import type { Environment } from '../base/environment.ts';
import type { PageWork } from '../view/text/drawing.ts';
import type { WorkRequest } from './work-request.ts';

const HIGHLIGHT_BUDGET_MS = 3_000;
const COMPARE_BUDGET_MS = 5_000;

/**
 * Work in two workers, so that a text that takes long to format does not hold up code and diffs. They start when they
 * are first needed. Undefined where there are no workers.
 */
export function createPageWork({
  startWorker,
  after,
}: Pick<Environment, 'startWorker' | 'after'>): PageWork | undefined {
  if (startWorker === undefined) return undefined;
  const texts = createWorkQueue({ start: startWorker, after });
  const code = createWorkQueue({ start: startWorker, after });
  const ask = <T>(queue: typeof texts, request: WorkRequest, budgetMs: number): Promise<T | undefined> =>
    queue.run(request, budgetMs) as Promise<T | undefined>;
  return {
    format: (request, budgetMs) => ask(texts, { kind: 'format', request }, budgetMs),
    highlight: (request) => ask(code, { kind: 'highlight', request }, HIGHLIGHT_BUDGET_MS),
    compare: (request) => ask(code, { kind: 'compare', request }, COMPARE_BUDGET_MS),
  };
}
