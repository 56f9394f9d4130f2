import { z } from 'zod';

const lenient = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);

const link = {
  type: z.string(),
  uuid: lenient(z.string().min(1)),
  parentUuid: lenient(z.string()),
  timestamp: lenient(z.iso.datetime()),
  isSidechain: lenient(z.boolean()),
  isMeta: lenient(z.boolean()),
  /** Where a fork took the entry from. */
  forkedFrom: lenient(z.object({ sessionId: z.string() })),
};
const message = lenient(z.object({ id: lenient(z.string()), model: lenient(z.string()), content: z.unknown() }));

const assistantSchema = z.object({
  ...link,
  type: z.literal('assistant'),
  message,
  apiBlockIndex: lenient(z.number().int().nonnegative()),
  isAbortedMidStream: lenient(z.boolean()),
  isApiErrorMessage: lenient(z.boolean()),
});

const userSchema = z.object({
  ...link,
  type: z.literal('user'),
  message,
  isCompactSummary: lenient(z.boolean()),
  /** `system` if nobody typed it: a schedule, another session, background work. */
  promptSource: lenient(z.string()),
  toolUseResult: z.unknown().optional(),
  /** Messages that were merged into this one, oldest first, without itself. */
  mergedSendUuids: lenient(z.array(z.string().min(1))),
});

const systemSchema = z.object({
  ...link,
  type: z.literal('system'),
  subtype: lenient(z.string()),
  content: z.unknown().optional(),
  level: lenient(z.string()),
  /** The entry before a compaction, which has no parent. */
  logicalParentUuid: lenient(z.string()),
  compactMetadata: lenient(
    z.object({
      trigger: lenient(z.string()),
      /** Entries from before the compaction that the model still gets word for word. */
      preservedMessages: lenient(z.object({ anchorUuid: lenient(z.string()), uuids: lenient(z.array(z.string())) })),
      /** The same in older versions: the first and the last of them, which are linked. */
      preservedSegment: lenient(
        z.object({ headUuid: z.string(), anchorUuid: lenient(z.string()), tailUuid: z.string() }),
      ),
    }),
  ),
  error: lenient(z.object({ status: lenient(z.number()) })),
  retryAttempt: lenient(z.number()),
  maxRetries: lenient(z.number()),
  retryInMs: lenient(z.number()),
});

const attachmentSchema = z.object({
  ...link,
  type: z.literal('attachment'),
  /** Set by us for a line that is too long to be read: how many bytes it has. */
  notShown: lenient(z.number()),
  attachment: lenient(
    z.object({
      type: z.string(),
      prompt: z.unknown().optional(),
      source_uuid: lenient(z.string().min(1)),
      commandMode: lenient(z.string()),
      /** The call that a hook spoke about. */
      toolUseID: lenient(z.string()),
    }),
  ),
});

const queueOperationSchema = z.object({
  ...link,
  type: z.literal('queue-operation'),
  operation: lenient(z.string()),
  content: z.unknown().optional(),
});

/** Written when a process exits, and from time to time before. */
const lastPromptSchema = z.object({
  ...link,
  type: z.literal('last-prompt'),
  /** The entry to go on from. Null after going back to before the first message. */
  leafUuid: lenient(z.string().nullable()),
  /** Somebody chose the entry. */
  explicit: lenient(z.boolean()),
  rewound: lenient(z.boolean()),
});

/**
 * One line of a transcript. The format belongs to Claude Code and changes with it, so only the type is required, a
 * field of an unexpected shape counts as missing, and an entry of an unknown type only links its neighbours.
 */
const entrySchema = z.union([
  z.discriminatedUnion('type', [
    assistantSchema,
    userSchema,
    systemSchema,
    attachmentSchema,
    queueOperationSchema,
    lastPromptSchema,
  ]),
  z.object({ ...link, type: z.literal('progress').transform(() => 'progress' as const) }),
  z.object({ ...link, type: z.string().transform(() => 'other' as const) }),
]);

export type TranscriptEntry = z.infer<typeof entrySchema>;
export type TranscriptEntryOf<T extends TranscriptEntry['type']> = Extract<TranscriptEntry, { type: T }>;

/** Undefined for a line that is not an entry. */
export function parseEntry(line: string): TranscriptEntry | undefined {
  return entrySchema.safeParse(parseJson(line)).data;
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
