import { describe, expect, it } from 'vitest';
import { mortise } from '../call.ts';
import { FIELDS_OF_NODE_CLASSES } from './fields-of-node-classes.ts';
import { FIELDS_OF_NODE_POOLS } from './fields-of-node-pools.ts';
import { FILES } from './files.ts';
import { FLAGS } from './flags.ts';
import { TEXTS } from './texts.ts';
import { VALUES_OF_REQUIREMENTS } from './values-of-requirements.ts';

const TABLE = {
  'a requirement': VALUES_OF_REQUIREMENTS,
  'a NodePool': FIELDS_OF_NODE_POOLS,
  'an EC2NodeClass': FIELDS_OF_NODE_CLASSES,
  'a text': TEXTS,
  'a flag': FLAGS,
  'a file or an object': FILES,
};

describe.each(Object.entries(TABLE))('a wrong input in %s', (_, cases) => {
  it.each(cases)('is named with its place, reason and remedy: $name', async (input) => {
    const { code, stdout, stderr } = await mortise(input.argv, input);
    // Amounts of money change with the bundled prices.
    const lines = `${stdout}\n${stderr}`.split('\n').map((line) => line.trim().replace(/ \([^()]*\+\$[^()]*\)$/, ''));

    expect({ code, says: input.says.filter((line) => lines.includes(line)) }).toEqual({
      code: input.code,
      says: input.says,
    });
  });
});
