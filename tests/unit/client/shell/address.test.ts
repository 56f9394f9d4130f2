import { describe, expect, it } from 'vitest';
import { forgetFormerToken, readSecret, removeSecret } from '../../../../client/shell/server/proof/address.ts';

const SECRET = 'A'.repeat(43);
const ONCE = `${'n'.repeat(22)}.1700000000000`;

function take(hash: string) {
  const addresses: string[] = [];
  const location = { hash, pathname: '/', search: '?a=1' };
  const taken = readSecret(location);
  removeSecret({
    location,
    history: {
      replaceState: (_data: unknown, _title: string, url?: string | URL | null) => addresses.push(String(url)),
    },
  });
  return { taken, addresses };
}

describe('safe/fragment the secret in an address', () => {
  it.each([
    [`#token=${SECRET}`, 'run'],
    [`#once=${ONCE}.${SECRET}`, { once: ONCE }],
  ])('is taken from %s and removed from the address bar', (hash, by) => {
    expect(take(hash)).toEqual({ taken: { by, sign: expect.any(Function) }, addresses: ['/?a=1'] });
  });

  it.each([
    '#token=',
    '#token=x',
    `#token=${SECRET}x`,
    `#token=${ONCE}.${SECRET}`,
    `#token=${SECRET.slice(1)}!`,
    '#once=',
    `#once=${SECRET}`,
    `#once=${ONCE}`,
    `#once=a.b.${SECRET}`,
  ])('is removed and not used if it is malformed: %s', (hash) => {
    expect(take(hash)).toEqual({ taken: 'malformed', addresses: ['/?a=1'] });
  });

  it.each(['', '#', '#other=1'])('is null for %j', (hash) => {
    expect(take(hash)).toEqual({ taken: null, addresses: [] });
  });
});

it('safe/origin the token that earlier versions stored is removed', () => {
  localStorage.setItem('liminal:token', 'old');
  forgetFormerToken(localStorage);
  expect(localStorage.getItem('liminal:token')).toBeNull();
});
