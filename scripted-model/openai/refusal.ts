/** OpenAI has no status 529; an overloaded endpoint answers 503. */
const OVERLOADED = 529;

const ERROR_CODES: Readonly<Record<number, string>> = {
  400: 'invalid_prompt',
  401: 'invalid_api_key',
  429: 'rate_limit_exceeded',
  503: 'server_is_overloaded',
  [OVERLOADED]: 'server_is_overloaded',
};

export function errorCode(status: number): string {
  return ERROR_CODES[status] ?? 'server_error';
}

export function openAiRefusal(status: number, message: string) {
  const type = status < 500 ? 'invalid_request_error' : 'server_error';
  return {
    status: status === OVERLOADED ? 503 : status,
    body: { error: { message, type, code: errorCode(status) } },
  };
}
