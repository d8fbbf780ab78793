import { describe, expect, it } from 'vitest';
import { enterNode, moveSelection } from '../../../console/page/map/layout/keyboard-navigation.ts';
import { buildScene, easeOutRemaining, findMoves, type Scene } from '../../../console/page/map/layout/scene.ts';
import type { NodeWithPods } from '../../../console/page/store/cluster-model.ts';
import { aBox, aTile } from '../support/boxes.ts';

const OPTIONS = { grouping: 'zone', area: 'dominant', size: { w: 950, h: 470 } } as const;
const modelOf = (items: readonly NodeWithPods[]) => ({
  nodes: new Map(items.map((item) => [item.node.name, item])),
  namespaces: ['shop'],
});
const sceneWith = (items: readonly NodeWithPods[], before?: Scene) => buildScene(modelOf(items), OPTIONS, before);

const three = ['a', 'b', 'c'].map((name, index) =>
  aBox(name, { bornAt: index }, [aTile(`${name}-1`), aTile(`${name}-2`)]),
);

describe('a scene', () => {
  it('keeps unchanged boxes, so that they are not drawn again', () => {
    const before = sceneWith(three);
    const [a, b, c] = three;
    const next = sceneWith(a && b && c ? [a, b, { ...c, pods: [] }] : [], before);

    expect(next.boxes.get('a')).toBe(before.boxes.get('a'));
    expect(next.boxes.get('c')).not.toBe(before.boxes.get('c'));
  });

  it('rebuilds every box if the meaning of the area changes', () => {
    const before = sceneWith(three);
    const next = buildScene(modelOf(three), { ...OPTIONS, area: 'memory' }, before);

    expect(next.boxes.get('a')).not.toBe(before.boxes.get('a'));
  });
});

describe('moves', () => {
  it('shift the boxes behind a removed node, and not the one before it', () => {
    const before = sceneWith(three);
    const moves = findMoves(before, sceneWith(three.filter(({ node }) => node.name !== 'b')));

    expect([...moves.keys()]).toEqual(['c']);
    expect(moves.get('c')).toMatchObject({ dy: 0 });
    expect(moves.get('c')?.dx).toBeGreaterThan(0);
  });

  it('are empty for a first picture and between two levels', () => {
    const many = Array.from({ length: 300 }, (_, index) => aBox(`n${index}`));
    expect(findMoves(undefined, sceneWith(three)).size).toBe(0);
    expect(findMoves(sceneWith(three), sceneWith(many)).size).toBe(0);
  });

  it('start at the old position and end at the new one', () => {
    expect([easeOutRemaining(-1), easeOutRemaining(0), easeOutRemaining(1), easeOutRemaining(2)]).toEqual([1, 1, 0, 0]);
  });
});

describe('keys on the map', () => {
  const scene = sceneWith(three);

  it('enter the pods of the selected node with Enter and move among them with arrows', () => {
    const pod = enterNode(scene, { kind: 'node', name: 'a' });
    expect(pod).toEqual({ kind: 'pod', name: 'shop/a-1' });
    expect(moveSelection(scene, pod, 'down')).toEqual({ kind: 'pod', name: 'shop/a-2' });
    expect(moveSelection(scene, { kind: 'pod', name: 'shop/a-2' }, 'down')).toEqual({
      kind: 'pod',
      name: 'shop/a-2',
    });
  });

  it('select the first node with an arrow if nothing is selected, and ignore Enter', () => {
    expect(moveSelection(scene, undefined, 'down')).toEqual({ kind: 'node', name: 'a' });
    expect(enterNode(scene, undefined)).toBeUndefined();
  });
});
