import type { AgentProcess, Link, ProcessEnd, SessionSink } from '../../engine/driver.ts';
import {
  createLineReader,
  type ProcessExit,
  type ProcessHost,
  readInSlices,
  type SpawnRequest,
} from '../../processes/index.ts';
import { toExitEnd } from './envelope-errors.ts';
import { createLineTranslation } from './translate-line.ts';

/** What the agent reads on its stdin, one JSON object a line. */
type AgentInput =
  | { readonly turnId: string; readonly content: string }
  | { readonly turnId: string; readonly cancel: true };

export interface EnvelopeProcessOptions {
  readonly host: ProcessHost;
  readonly request: SpawnRequest;
  readonly maxLineBytes: number;
  readonly label: string;
  readonly nativeId: string;
  /** Turns of this session that were ever prompted, by this process or one before. */
  readonly knownTurns: Set<string>;
}

/** Throws a SpawnError where the program cannot run. */
export function startEnvelopeProcess(options: EnvelopeProcessOptions): AgentProcess {
  const { host, request, maxLineBytes, label, knownTurns } = options;
  const hosted = host.spawn(request);
  const { child } = hosted;
  const openTurns = new Set<string>();
  let sink: SessionSink | undefined;
  let isStopped = false;

  const translateLine = createLineTranslation({ label, knownTurns });
  const reader = createLineReader({
    maxLineBytes,
    onLine(line) {
      const { actions, at, problem } = translateLine(line);
      if (problem !== undefined) sink?.notify(problem);
      for (const action of actions) {
        if (action.do === 'turn_done' || action.do === 'turn_error') openTurns.delete(action.turnId);
      }
      sink?.apply(actions, at);
    },
    onOversized: () =>
      sink?.notify(`${label} printed a line that is too long. Ignored; its turn may lack something now.`),
  });
  readInSlices(child.stdout, reader.push);
  child.stdout.once('end', () => reader.end());

  const write = (input: AgentInput) => {
    child.stdin.write(`${toLine(input)}\n`);
  };

  const link: Link = {
    prompt(turnId, content) {
      openTurns.add(turnId);
      knownTurns.add(turnId);
      sink?.apply([{ do: 'taken', turnId }]);
      write({ turnId, content });
    },
    async interrupt() {
      for (const turnId of openTurns) write({ turnId, cancel: true });
      return true;
    },
    abandon: (_turnIds, reason) => end((why) => hosted.kill(why), reason),
    close: (reason) => end((why) => hosted.stop(why), reason),
  };

  function end(how: (reason: string) => Promise<ProcessExit>, reason: string): Promise<ProcessExit> {
    isStopped = true;
    return how(reason);
  }

  return {
    ready: Promise.resolve(),
    ended: hosted.exited.then((exit): ProcessEnd => toExitEnd(label, exit, hosted.stderrTail(), openTurns.size > 0)),
    isOpen: () => !isStopped && child.exitCode === null && child.signalCode === null,
    stderrTail: () => hosted.stderrTail(),
    open: async () => ({
      nativeId: options.nativeId,
      attach(newSink) {
        sink = newSink;
        return link;
      },
    }),
    stop: (reason) => end((why) => hosted.stop(why), reason),
    kill: (reason) => end((why) => hosted.kill(why), reason),
  };
}

/** JSON allows these inside a string, but some line readers split at them. */
function toLine(input: AgentInput): string {
  return JSON.stringify(input).replace(
    /[\u0085\u2028\u2029]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
