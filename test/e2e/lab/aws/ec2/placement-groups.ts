import type { Answer } from '../../forward.ts';
import { ec2Refusal } from '../fleet-errors.ts';
import { answerTo, type Ec2Feature, listValues } from './ec2-feature.ts';
import { editElement, element, setElement } from './instances-xml.ts';

interface PlacementGroup {
  readonly id: string;
  readonly name: string;
  readonly strategy: string;
  /** 0 for other strategies than `partition`. */
  readonly partitionCount: number;
}

interface Placement {
  readonly group: PlacementGroup;
  readonly partition?: number;
}

/** Placement groups, which the emulator lacks. */
export function placementGroups(): Ec2Feature {
  const groups = new Map<string, PlacementGroup>();
  const placements = new Map<string, Placement>();

  function create(parameters: URLSearchParams): Answer {
    const group: PlacementGroup = {
      id: `pg-${crypto.randomUUID().replaceAll('-', '').slice(0, 17)}`,
      name: parameters.get('GroupName') ?? '',
      strategy: parameters.get('Strategy') ?? 'cluster',
      partitionCount: Number(parameters.get('PartitionCount') ?? 0),
    };
    groups.set(group.id, group);
    return answerTo('CreatePlacementGroup', element('placementGroup', toXml(group)));
  }

  function describe(parameters: URLSearchParams): Answer {
    const names = listValues(parameters, 'GroupName');
    const ids = listValues(parameters, 'GroupId');
    const isWanted = ({ name, id }: PlacementGroup): boolean =>
      (names.length === 0 || names.includes(name)) && (ids.length === 0 || ids.includes(id));
    const matching = [...groups.values()].filter(isWanted);
    if (matching.length === 0 && names.length + ids.length > 0) return unknownGroup();
    const items = matching.map((group) => element('item', toXml(group)));
    const set = element('placementGroupSet', items.join(''));
    return answerTo('DescribePlacementGroups', set);
  }

  function remove(parameters: URLSearchParams): Answer {
    const group = [...groups.values()].find(({ name }) => name === parameters.get('GroupName'));
    if (!group) return unknownGroup();
    groups.delete(group.id);
    return answerTo('DeletePlacementGroup', element('return', 'true'));
  }

  /** EC2 distributes instances evenly over the partitions. */
  function findEmptiestPartition(group: PlacementGroup): number {
    const used = [...placements.values()].filter((one) => one.group.id === group.id);
    const sizeOf = (partition: number): number => used.filter((one) => one.partition === partition).length;
    const all = Array.from({ length: group.partitionCount }, (_, index) => index + 1);
    return all.toSorted((a, b) => sizeOf(a) - sizeOf(b))[0] ?? 1;
  }

  return {
    answer(action, parameters) {
      if (action === 'CreatePlacementGroup') return create(parameters);
      if (action === 'DescribePlacementGroups') return describe(parameters);
      return action === 'DeletePlacementGroup' ? remove(parameters) : undefined;
    },
    addInstance(template, instanceId) {
      const group = groups.get(template.get('Placement.GroupId') ?? '');
      if (!group) return;
      const chosen = template.get('Placement.PartitionNumber');
      const partition = chosen === undefined ? findEmptiestPartition(group) : Number(chosen);
      const isPartitioned = group.strategy === 'partition';
      placements.set(instanceId, { group, ...(isPartitioned && { partition }) });
    },
    removeInstance: (instanceId) => placements.delete(instanceId),
    describeInstance(xml, instanceId) {
      const placement = placements.get(instanceId);
      if (!placement) return xml;
      const { group, partition } = placement;
      return editElement(xml, 'placement', (placed) => {
        const named = setElement(placed, 'groupName', group.name);
        const identified = setElement(named, 'groupId', group.id);
        return partition === undefined ? identified : setElement(identified, 'partitionNumber', `${partition}`);
      });
    },
  };
}

const unknownGroup = (): Answer => ec2Refusal(400, 'InvalidPlacementGroup.Unknown', 'The placement group is unknown.');

const toXml = ({ id, name, strategy, partitionCount }: PlacementGroup): string =>
  [
    element('groupId', id),
    element('groupName', name),
    element('strategy', strategy),
    element('state', 'available'),
    ...(partitionCount > 0 ? [element('partitionCount', `${partitionCount}`)] : []),
  ].join('');
