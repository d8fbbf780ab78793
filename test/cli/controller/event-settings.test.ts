import { describe, expect, it } from 'vitest';
import { readCliEventSettings } from '../../../cli/controller/controller-settings.ts';
import { CliError } from '../../../cli/errors.ts';
import { PUBLISHED_KINDS } from '../../../shared/model/published-events/kinds.ts';

describe('the events that a controller publishes', () => {
  it.each([{}, { EVENT_KINDS: '' }])('are none with %o', (env) => {
    expect(readCliEventSettings(env)).toEqual({ kinds: [], bus: 'default' });
  });

  it('are those that EVENT_KINDS names, on EVENT_BUS', () => {
    expect(readCliEventSettings({ EVENT_KINDS: 'all', EVENT_BUS: 'platform' })).toEqual({
      kinds: PUBLISHED_KINDS,
      bus: 'platform',
    });
  });

  it('are refused with a problem for each variable that is wrong', () => {
    const read = () => readCliEventSettings({ EVENT_KINDS: 'PodsWait', EVENT_BUS: 'a bus' });

    expect(read).toThrow(CliError);
    expect(read).toThrow(/EVENT_KINDS must be all, or some of .*; EVENT_BUS must be the name/);
  });
});
