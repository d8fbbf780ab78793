import { describe, expect, it } from 'vitest';
import { OptionsError } from '../../infra/options/errors.ts';
import { aTemplate } from './fixture.ts';

const reservations = (count: number): string =>
  JSON.stringify({
    reservedInstances: Array.from({ length: count }, (_, index) => ({
      instanceType: 'm5.xlarge',
      count: index + 1,
    })),
  });

describe('the variables of functions', () => {
  it('have room for a few reservations', () => {
    expect(() => aTemplate({ committedCapacity: reservations(20) })).not.toThrow();
  });

  it('are not shortened by the authority of the cluster, which no option can', () => {
    const own = { endpoint: 'https://a.example.com', certificateAuthority: 'Y'.repeat(1_500) };
    expect(() => aTemplate({ ...own, committedCapacity: reservations(45) })).toThrow(
      /shorten the option of COMMITTED_CAPACITY/,
    );
  });

  it('are counted at synthesis: too long a text is refused with its size and the limit', () => {
    const refused = () => aTemplate({ committedCapacity: reservations(60) });
    expect(refused).toThrow(OptionsError);
    expect(refused).toThrow(
      /The variables of the function .*Provisioning.* take about \d+ bytes, and Lambda allows 4096: shorten the option of COMMITTED_CAPACITY \(\d+ bytes\)/,
    );
  });
});
