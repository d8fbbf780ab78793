import { answerTo, type Ec2Feature, listValues } from './ec2-feature.ts';
import { element, setElement } from './instances-xml.ts';

/** Tags by the type of the resource. */
type TagsByType = ReadonlyMap<string, ReadonlyMap<string, string>>;

const SPOT_REQUEST = 'spot-instances-request';

/** Spot requests, and the tags that a launch gives to them, to volumes and to network interfaces. */
export function launchTags(): Ec2Feature {
  const tagsByInstance = new Map<string, TagsByType>();
  const tagsOf = (instanceId: string, type: string): ReadonlyMap<string, string> =>
    tagsByInstance.get(instanceId)?.get(type) ?? new Map();

  return {
    answer(action, parameters) {
      if (action !== 'DescribeSpotInstanceRequests') return undefined;
      const ids = listValues(parameters, 'SpotInstanceRequestId');
      const items = [...tagsByInstance.keys()]
        .filter((instanceId) => ids.includes(toSpotRequestId(instanceId)))
        .map((instanceId) =>
          element(
            'item',
            element('spotInstanceRequestId', toSpotRequestId(instanceId)) +
              element('instanceId', instanceId) +
              element('state', 'active') +
              element('tagSet', toItems(tagsOf(instanceId, SPOT_REQUEST))),
          ),
        );
      return answerTo(action, element('spotInstanceRequestSet', items.join('')));
    },
    addInstance(template, instanceId, fleet) {
      tagsByInstance.set(
        instanceId,
        new Map([...readSpecifications([...template]), ...readSpecifications([...fleet])]),
      );
    },
    describeInstance: (xml, instanceId) =>
      xml.includes('<instanceLifecycle>spot</instanceLifecycle>')
        ? setElement(xml, 'spotInstanceRequestId', toSpotRequestId(instanceId))
        : xml,
    describeAttached(type, xml, instanceId) {
      const tags = new Map(tagsOf(instanceId, type));
      const present = /<tagSet>([\s\S]*?)<\/tagSet>/.exec(xml)?.[1] ?? '';
      for (const [, key = ''] of present.matchAll(/<key>([^<]*)<\/key>/g)) tags.delete(key);
      return tags.size === 0 ? xml : setElement(xml, 'tagSet', present + toItems(tags));
    },
  };
}

const toSpotRequestId = (instanceId: string): string => `sir-${instanceId.slice(2, 10)}`;

const toItems = (tags: ReadonlyMap<string, string>): string =>
  [...tags].map(([key, value]) => element('item', element('key', key) + element('value', value))).join('');

/** Reads `TagSpecification.1.ResourceType`, `TagSpecification.1.Tag.1.Key` and so on. */
function readSpecifications(fields: readonly (readonly [string, string])[]): TagsByType {
  const byName = new Map(fields);
  const types = fields.filter(([name]) => /^TagSpecification\.\d+\.ResourceType$/.test(name));
  return new Map(
    types.map(([name, type]) => {
      const prefix = `${name.replace(/ResourceType$/, '')}Tag.`;
      const keys = fields.filter(([field]) => field.startsWith(prefix) && field.endsWith('.Key'));
      return [type, new Map(keys.map(([field, key]) => [key, byName.get(field.replace(/Key$/, 'Value')) ?? '']))];
    }),
  );
}
