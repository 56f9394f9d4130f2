import type { ModelApi } from '../wire/api.ts';
import { readOpenAiRequest } from './read-request.ts';
import { openAiRefusal } from './refusal.ts';
import { createOpenAiWriter } from './write-reply.ts';

export const openAiApi: ModelApi = {
  readRequest: readOpenAiRequest,
  createWriter: createOpenAiWriter,
  assemble: (events) => events.at(-1)?.response,
  refusal: openAiRefusal,
};
