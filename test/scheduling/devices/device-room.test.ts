import { expect, it } from 'vitest';
import { assignBatch } from '../../../shared/scheduling/assignment/assign-batch.ts';
import { listUnpinnedOptions } from '../../../shared/scheduling/assignment/pod-groups.ts';
import { countPodsOnEmptyNode } from '../../../shared/scheduling/devices/device-room.ts';
import { prepare } from '../../../shared/scheduling/input/problem.ts';
import { aClaimTemplate, aDevice, aSliceOf } from '../../support/devices.ts';
import { aPoolRequiring, need, tiny } from '../support/fixture.ts';
import { CLAIMING_FROM_TEMPLATE, createGpus, withDevices } from './device-fixture.ts';

const RACK = 'example.com/rack';

it('an empty node holds as many pods as its type and labels provide devices for', () => {
  const racks = ['a', 'b'].map((rack) => [need(RACK, 'In', rack)]);
  const ofRackA = aSliceOf(
    'net',
    ['x', 'y', 'z'].map((name) => aDevice(name)),
    {
      reach: { nodeTerms: racks.slice(0, 1) },
    },
  );
  const cluster = withDevices(
    createGpus(1),
    { slices: [ofRackA], templates: [aClaimTemplate('wish')] },
    {
      pools: [aPoolRequiring(need(RACK, 'In', 'a', 'b'))],
      pods: [tiny('either', { ...CLAIMING_FROM_TEMPLATE, requiredNodeTerms: racks })],
    },
  );
  const { problem, podGroups } = assignBatch(prepare(cluster), cluster.pods);
  const rooms = podGroups.flatMap(({ cls: { spec, relaxations } }) =>
    relaxations
      .flatMap((attempt) => listUnpinnedOptions(spec, attempt, problem))
      .map((option): [rack: string | undefined, room: number] => [
        [...(option.custom.get(RACK)?.values ?? [])][0],
        countPodsOnEmptyNode(spec, option, 0, problem),
      ]),
  );

  expect(Object.fromEntries(rooms)).toEqual({ a: 4, b: 1 });
});
