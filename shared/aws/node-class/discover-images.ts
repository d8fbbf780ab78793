import { type EC2Client, type Image, paginateDescribeImages } from '@aws-sdk/client-ec2';
import { GetParameterCommand, ParameterNotFound, type SSMClient, SSMServiceException } from '@aws-sdk/client-ssm';
import type { WrittenEC2NodeClass } from '../../api/stored-objects/ec2-node-class.ts';
import { type ImageParameter, listImageParameters } from '../../ec2/node-class/alias-parameters.ts';
import { selectImages } from '../../ec2/node-class/image-choice.ts';
import { MissingRightError } from '../../model/errors.ts';
import { ARCH_LABEL } from '../../model/labels.ts';
import type { NodeImage } from '../../model/nodes/resolved-node-class.ts';
import type { RequirementSpec } from '../../model/requirements/requirement-specs.ts';
import type { EpochMs } from '../../model/time.ts';
import type { NodeClassResources } from '../../ports/node-classes.ts';
import { buildTagFilters, type SelectorQuery } from './selector-filters.ts';

type Term = WrittenEC2NodeClass['spec']['amiSelectorTerms'][number];

/**
 * EC2's name of an architecture and the one of Kubernetes. Images of other architectures are
 * ignored.
 */
const ARCHITECTURES: Readonly<Record<string, string>> = { x86_64: 'amd64', arm64: 'arm64' };

/** Images selected by name must have one of these owners, because any account may use the name. */
const TRUSTED = ['self', 'amazon'];

interface Clients {
  readonly ec2: EC2Client;
  readonly ssm: SSMClient;
}

/** Selects the newest of the images for the same instance types. */
export const discoverImages =
  (clients: Clients): NodeClassResources['images'] =>
  async ({ amiSelectorTerms }, version, now) => {
    const alias = amiSelectorTerms.find((term) => term.alias !== undefined)?.alias;
    if (alias !== undefined) return selectImages(await discoverAliasImages(clients, alias, version, now));

    const described = await Promise.all(
      (await listImageRequests(clients.ssm, amiSelectorTerms)).map((request) => describeImages(clients.ec2, request)),
    );
    const images = described.flat().flatMap((image) => toNodeImage(image, now));
    return selectImages([...new Map(images.map((image) => [image.id, image])).values()]);
  };

async function discoverAliasImages(
  { ec2, ssm }: Clients,
  alias: string,
  version: string,
  now: EpochMs,
): Promise<readonly NodeImage[]> {
  const read = async ({ path, variants }: ImageParameter) => {
    const id = await readImageId(ssm, path);
    return id === undefined ? [] : [{ id, variants }];
  };
  const named = (await Promise.all(listImageParameters(alias, version).map(read))).flat();
  if (named.length === 0) return [];

  const described = await describeImages(ec2, { filters: [toIdFilter(named.map(({ id }) => id))] });
  const images = new Map(described.flatMap((image) => toNodeImage(image, now).map((read) => [read.id, read] as const)));
  return named.flatMap(({ id, variants }) => {
    const image = images.get(id);
    return image ? variants.map((requirements) => ({ ...image, requirements })) : [];
  });
}

interface ImageRequest {
  readonly filters: SelectorQuery;
  readonly owners?: readonly string[];
}

/**
 * One request for all ids, then one per term. An id takes precedence over the other fields of its
 * term.
 */
async function listImageRequests(ssm: SSMClient, terms: readonly Term[]): Promise<readonly ImageRequest[]> {
  const ids = await Promise.all(terms.map((term) => findImageId(ssm, term)));
  const knownIds = ids.filter((id) => id !== undefined);
  const others = terms.filter(({ id, ssmParameter }) => (id ?? ssmParameter) === undefined);
  return [
    ...(knownIds.length > 0 ? [{ filters: [toIdFilter(knownIds)] }] : []),
    ...others.map(({ name, owner, tags = {} }) => ({
      filters: [...(name === undefined ? [] : [{ Name: 'name', Values: [name] }]), ...buildTagFilters(tags)],
      ...toOwners(name, owner),
    })),
  ];
}

async function findImageId(ssm: SSMClient, { id, ssmParameter }: Term): Promise<string | undefined> {
  return ssmParameter === undefined ? id : (id ?? readImageId(ssm, ssmParameter));
}

function toOwners(name: string | undefined, owner: string | undefined): Pick<ImageRequest, 'owners'> {
  if (owner !== undefined) return { owners: [owner] };
  return name === undefined ? {} : { owners: TRUSTED };
}

const toIdFilter = (ids: readonly string[]) => ({ Name: 'image-id', Values: [...new Set(ids)] });

async function describeImages(ec2: EC2Client, { filters, owners }: ImageRequest): Promise<Image[]> {
  const pages = paginateDescribeImages(
    { client: ec2, pageSize: 1000 },
    {
      Filters: [{ Name: 'state', Values: ['available'] }, ...filters],
      IncludeDeprecated: true,
      ...(owners && { Owners: [...owners] }),
    },
  );
  const images: Image[] = [];
  for await (const page of pages) images.push(...(page.Images ?? []));
  return images;
}

function toNodeImage(
  { ImageId, Name = '', Architecture, CreationDate = '', DeprecationTime }: Image,
  now: EpochMs,
): readonly NodeImage[] {
  const arch = ARCHITECTURES[Architecture ?? ''];
  if (!ImageId || arch === undefined) return [];
  const requirements: readonly RequirementSpec[] = [{ key: ARCH_LABEL, operator: 'In', values: [arch] }];
  return [
    {
      id: ImageId,
      name: Name,
      deprecated: DeprecationTime !== undefined && Date.parse(DeprecationTime) <= now,
      createdAt: Date.parse(CreationDate) || 0,
      requirements,
    },
  ];
}

/**
 * Returns undefined if the parameter does not exist, or is not an image id.
 *
 * @throws MissingRightError - the role may not read the parameter
 */
async function readImageId(ssm: SSMClient, Name: string): Promise<string | undefined> {
  try {
    const { Parameter } = await ssm.send(new GetParameterCommand({ Name }));
    return Parameter?.Value?.startsWith('ami-') ? Parameter.Value : undefined;
  } catch (error) {
    if (error instanceof ParameterNotFound) return undefined;
    const isDenied = error instanceof SSMServiceException && error.name === 'AccessDeniedException';
    if (!isDenied) throw error;
    const fix = `name it in the option imageParameters (${error.message})`;
    throw new MissingRightError({ right: `ssm:GetParameter on ${Name}`, fix }, { cause: error });
  }
}
