import { listAt, textAt, valueAt } from '../lab/json.ts';
import { mortise } from '../mortise-command.ts';
import { expect, type Scenario } from '../scenario.ts';

/** Longer than all scenarios take together. */
const SINCE = '12h';

export const recordReplays: Scenario = {
  name: 'every decision of the scenarios so far is made again byte for byte from its record',
  id: 'record',
  async run(lab) {
    const document: unknown = JSON.parse(await mortise(lab, ['replay', '--since', SINCE, '-o', 'json']));
    const decisions = listAt(document, 'result', 'decisions');
    const different = decisions.filter((decision) => valueAt(decision, 'equal') !== true);
    expect(decisions.length > 0, 'the record has no decision');
    expect(different.length === 0, `differ: ${different.map((decision) => textAt(decision, 'id')).join()}`);
    return { decisions: decisions.length };
  },
};
