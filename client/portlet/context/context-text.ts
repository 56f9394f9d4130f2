import type { Context, ContextState } from '../../../shared/entities.ts';
import { fromCanonical } from '../../../shared/ids.ts';
import { clockTime } from '../../shared/clock-time.ts';

/** What the model is given with the next message, for people. */
export interface ContextText {
  /** A few words for the status line. */
  readonly label: string;
  /** What that means, in a sentence or two. */
  readonly explanation: string;
  /** Something is lost, or may be: the user should look. */
  readonly isWarning: boolean;
}

/** `title` is that of the session that the context is from, if it is known. */
export function describeContext(context: Context, now: number, title: string | undefined): ContextText {
  const { state, messages, at, from, reason } = context;
  const time = at === undefined ? '' : clockTime(at, now);
  const origin = title ?? (from === undefined ? 'another session' : shortId(from));
  const isWarning = state === 'reset' || state === 'unknown';
  return {
    label: LABELS[state]({ count: counted(messages), time, origin }),
    explanation: [EXPLANATIONS[state]({ count: counted(messages), time, origin }), isWarning && reason]
      .filter(Boolean)
      .join(' '),
    isWarning,
  };
}

interface Facts {
  /** `14 messages`, or empty. */
  readonly count: string;
  readonly time: string;
  readonly origin: string;
}

type Texts = Readonly<Record<ContextState, (facts: Facts) => string>>;

const LABELS: Texts = {
  fresh: () => 'Fresh',
  resumed: ({ count }) => ['Resumed', count].filter(Boolean).join(', '),
  compacted: ({ time }) => ['Compacted', time].filter(Boolean).join(' '),
  forked: ({ origin }) => `Forked from ${origin}`,
  cleared: () => 'Cleared',
  reset: () => 'Reset',
  unknown: () => 'Context unknown',
};

const EXPLANATIONS: Texts = {
  fresh: () => 'The model knows nothing yet: it is given your next message only.',
  resumed: ({ count }) => `The model is given this whole conversation${count && `: ${count}`}.`,
  compacted: ({ count, time }) =>
    `The conversation was compacted${time && ` at ${time}`}: the model is given a summary and what came after it${count && `, ${count} in all`}.`,
  forked: ({ count, time, origin }) =>
    `This is a copy of “${origin}”${time && `, made at ${time}`}. The model is given the copy${count && `: ${count}`}.`,
  cleared: ({ time }) =>
    `The context was cleared${time && ` at ${time}`}: the model is given nothing from before that.`,
  reset: () => 'The model is given nothing of what is shown here.',
  unknown: () => 'It is not known what the model is given of this conversation.',
};

function counted(messages: number | undefined): string {
  if (messages === undefined) return '';
  return messages === 1 ? '1 message' : `${messages.toLocaleString('en')} messages`;
}

const shortId = (from: string): string => fromCanonical(from).nativeId.slice(0, 8);
