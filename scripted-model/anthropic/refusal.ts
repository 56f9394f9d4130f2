const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

export function errorType(status: number): string {
  return ERROR_TYPES[status] ?? 'api_error';
}

export function anthropicRefusal(status: number, message: string) {
  return { status, body: { type: 'error', error: { type: errorType(status), message } } };
}
