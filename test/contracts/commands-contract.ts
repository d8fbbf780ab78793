import { describe, expect, it } from 'vitest';
import type { DisruptionCommand } from '../../shared/model/plans.ts';
import type { Commands } from '../../shared/ports/records.ts';
import { NOON } from '../support/builders.ts';

const aCommand = (over: Partial<DisruptionCommand> = {}): DisruptionCommand => ({
  id: 'command-1',
  reason: 'Underutilized',
  decidedAt: NOON,
  candidates: ['general-1'],
  replacements: [],
  placements: [{ target: 'node-2', pods: ['default/web-1'] }],
  savingHourlyUsd: 0.25,
  ...over,
});

/** What every store of disruption commands keeps. @param create - an empty one for each test */
export function commandsContract(adapter: string, create: () => Promise<Commands>): void {
  describe(`Commands: ${adapter}`, () => {
    it('lists what was added, as it was added', async () => {
      const commands = await create();

      await commands.add(aCommand());

      expect(await commands.list()).toEqual([aCommand()]);
    });

    it('replaces nothing when an id comes again', async () => {
      const commands = await create();
      await commands.add(aCommand());

      await commands.add(aCommand({ candidates: ['general-2'] }));

      expect(await commands.list()).toEqual([aCommand()]);
    });

    it('lists a removed command no more, and removes what is not there without complaint', async () => {
      const commands = await create();
      await commands.add(aCommand());
      await commands.add(aCommand({ id: 'command-2' }));

      await commands.remove('command-1');
      await commands.remove('command-1');

      expect((await commands.list()).map(({ id }) => id)).toEqual(['command-2']);
    });
  });
}
