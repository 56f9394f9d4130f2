import { expect } from 'vitest';
import type { ActionOf } from '../../../server/streaming/stream-actions.ts';
import type { SessionId } from '../../../shared/ids.ts';
import type { ScriptedProvider } from '../../support/agents/scripted-provider.ts';

type Call = Omit<ActionOf<'tool_start'>, 'do' | 'turnId' | 'itemId' | 'callId'>;
type Result = Partial<Omit<ActionOf<'tool_done'>, 'do' | 'turnId' | 'callId'>>;

export interface RunningTool {
  readonly itemId: string;
  /** Lets it go on after its turn. */
  moveToBackground(): void;
  /** Shows the output so far. */
  show(output: string): void;
  end(output: string, result?: Result): void;
}

/** A turn that the test controls step by step. Items are numbered in the order they start. */
export interface RunningTurn {
  readonly turnId: string;
  /** Starts a message or thinking that grows with each `write`. */
  begin(kind: 'message' | 'thinking', parentItemId?: string): { write(text: string): void; end(): void };
  tool(call: Call): RunningTool;
  notice(content: string): void;
  complete(end?: Partial<Omit<ActionOf<'turn_done'>, 'do' | 'turnId'>>): void;
  fail(code: string, message: string): void;
}

/** Lets the test answer the next message of a session. */
export function takeNextTurn(provider: ScriptedProvider, sessionId: SessionId): () => Promise<RunningTurn> {
  provider.answerNext([{ hold: true }]);
  return async () => {
    const core = () => provider.core(sessionId);
    await expect.poll(() => core().openTurns().length).toBe(1);
    const [turnId = ''] = core().openTurns();
    let count = 0;
    const nextId = () => {
      count += 1;
      return `${turnId}:1:${count}`;
    };
    return {
      turnId,
      begin(kind, parentItemId) {
        const itemId = nextId();
        core().apply({ do: 'item_start', turnId, itemId, kind, ...(parentItemId !== undefined && { parentItemId }) });
        return {
          write: (text) => core().apply({ do: 'item_delta', itemId, text }),
          end: () => core().apply({ do: 'item_done', itemId }),
        };
      },
      tool(call) {
        const itemId = nextId();
        const callId = `call-${itemId}`;
        core().apply({ do: 'tool_start', turnId, itemId, callId, ...call });
        return {
          itemId,
          moveToBackground: () => core().apply({ do: 'tool_background', turnId, callId, taskId: itemId }),
          show: (output) => core().apply({ do: 'tool_output', turnId, callId, output }),
          end: (output, result = {}) =>
            core().apply({ do: 'tool_done', turnId, callId, output, isError: false, ...result }),
        };
      },
      notice: (content) => core().apply({ do: 'message', turnId, itemId: nextId(), origin: 'system', content }),
      complete(end = {}) {
        core().apply({ do: 'turn_done', turnId, status: 'completed', ...end });
        provider.release(sessionId);
      },
      fail(code, message) {
        core().apply({ do: 'turn_error', turnId, code, message });
        provider.release(sessionId);
      },
    };
  };
}
