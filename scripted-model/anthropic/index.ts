import type { ModelApi } from '../wire/api.ts';
import { assembleMessage } from './assemble-message.ts';
import { readAnthropicRequest } from './read-request.ts';
import { anthropicRefusal } from './refusal.ts';
import { createAnthropicWriter } from './write-reply.ts';

export const anthropicApi: ModelApi = {
  readRequest: readAnthropicRequest,
  createWriter: createAnthropicWriter,
  assemble: assembleMessage,
  refusal: anthropicRefusal,
};
