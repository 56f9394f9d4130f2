import { beforeEach, describe, expect, it } from 'vitest';
import { takeToken } from '../../../../client/shell/server/token.ts';

function place(hash: string) {
  const addresses: string[] = [];
  const taken = takeToken({
    location: { hash, pathname: '/', search: '?a=1' },
    history: {
      replaceState: (_data: unknown, _title: string, url?: string | URL | null) => addresses.push(String(url)),
    },
    storage: localStorage,
  });
  return { taken, addresses };
}

beforeEach(() => localStorage.clear());

describe('the token', () => {
  it('is read from the address, stored, and removed from the address bar', () => {
    expect(place('#token=abc-123')).toEqual({ taken: 'abc-123', addresses: ['/?a=1'] });
    expect(place('')).toEqual({ taken: 'abc-123', addresses: [] });
  });

  it('in the address replaces the stored one', () => {
    place('#token=old');
    expect(place('#token=new').taken).toBe('new');
    expect(place('').taken).toBe('new');
  });

  it.each(['', '#', '#token=', '#other=1'])('is null for %j if none is stored', (hash) => {
    expect(place(hash)).toEqual({ taken: null, addresses: [] });
  });
});
