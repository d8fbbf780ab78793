import { describe, expect, it } from 'vitest';
import { nodeClass, nodePool } from '../support/read-text.ts';
import { betaClass, betaPool, convert, nodeTemplate, provisioner } from './conversions.ts';

const classNamed = (name: string) => ({ ...nodeClass(), metadata: { name } });

describe('objects that become one', () => {
  it.each([
    ['a Provisioner and a NodePool', [provisioner({}, 'a'), betaPool({}, {}, 'a')], 'NodePool/a'],
    ['an AWSNodeTemplate and an EC2NodeClass', [nodeTemplate(), betaClass()], 'EC2NodeClass/nodes'],
    ['a NodePool of v1beta1 and one of v1', [betaPool({ weight: 3 }, {}, 'general'), nodePool()], 'NodePool/general'],
    [
      'two EC2NodeClasses of v1',
      [classNamed('nodes'), { ...nodeClass({ role: 'other' }), metadata: { name: 'nodes' } }],
      'EC2NodeClass/nodes',
    ],
  ])('are an error that names both: %s', (_, sources, name) => {
    const { messages, isComplete } = convert(sources);
    const collisions = messages.filter(({ code }) => code === 'X-12');

    expect(isComplete).toBe(false);
    expect(collisions).toHaveLength(2);
    for (const { text } of collisions) {
      expect(text).toContain(`both become ${name}`);
      for (const { kind } of sources) expect(text).toContain(`${kind}/`);
    }
  });

  it('are no error if they are equal', () => {
    expect(convert([nodeClass(), nodeClass()]).isComplete).toBe(true);
  });

  it('leave everything else in the result', () => {
    const { objects } = convert([provisioner({}, 'a'), betaPool({}, {}, 'a'), betaClass()]);

    expect(objects.map(({ source }) => source.kind)).toEqual(['EC2NodeClass']);
  });
});
