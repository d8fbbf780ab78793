import { DescribeImagesCommand, type Image } from '@aws-sdk/client-ec2';
import type { Answer, Forward } from '../forward.ts';
import { textAt } from '../json.ts';
import { NEWEST_MINOR } from './account.ts';
import type { CloudClients } from './cloud-clients.ts';

const AL2023 =
  /optimized-ami\/1\.(\d+)\/amazon-linux-2023\/(x86_64|arm64)\/(standard|nvidia|neuron)\/recommended\/image_id$/;
const BOTTLEROCKET = /bottlerocket\/aws-k8s-1\.\d+(-nvidia)?\/(x86_64|arm64)\/latest\/image_id$/;
const WINDOWS = /Windows_Server-2022-English-Core-EKS_Optimized-1\.\d+\/image_id$/;

/** Families with images of their own, which are the last ones of their architecture. */
const RESERVED: readonly string[] = ['nvidia', 'neuron', 'bottlerocket'];

/**
 * Adds to the emulated SSM the public parameters with image ids of EKS. Each refers to an image that the
 * emulated EC2 has.
 */
export async function addPublicParameters({ ec2 }: Pick<CloudClients, 'ec2'>, emulator: Forward): Promise<Forward> {
  const { Images = [] } = await ec2.send(new DescribeImagesCommand({ Owners: ['amazon'] }));

  return async (request) => {
    const name = textAt(JSON.parse(request.body.toString()), 'Name');
    if (!name.startsWith('/aws/')) return emulator(request);
    const id = findImage(Images, name)?.ImageId;
    return id === undefined
      ? json(400, { __type: 'ParameterNotFound' })
      : json(200, { Parameter: { Name: name, Type: 'String', Value: id } });
  };
}

function findImage(images: readonly Image[], parameter: string): Image | undefined {
  if (WINDOWS.test(parameter)) return images.find(({ Platform }) => Platform);
  const bottlerocket = BOTTLEROCKET.exec(parameter);
  if (bottlerocket) {
    const [, gpu, architecture] = bottlerocket;
    return findLinuxImage(images, architecture, gpu === undefined ? 'bottlerocket' : 'nvidia', NEWEST_MINOR);
  }
  const [, minor, architecture, variant = ''] = AL2023.exec(parameter) ?? [];
  if (minor === undefined) return undefined;
  return findLinuxImage(images, architecture, variant, Number(minor));
}

/** Each version of Kubernetes has an image of its own, as far as there are enough. */
function findLinuxImage(
  images: readonly Image[],
  architecture: string | undefined,
  variant: string,
  minor: number,
): Image | undefined {
  const ofArchitecture = images.filter((one) => one.Architecture === architecture && !one.Platform);
  const reserved = RESERVED.indexOf(variant);
  if (reserved >= 0) return ofArchitecture.at(-1 - reserved);
  return ofArchitecture[(ofArchitecture.length + NEWEST_MINOR - minor) % ofArchitecture.length];
}

const json = (status: number, body: object): Answer => ({
  status,
  headers: { 'content-type': 'application/x-amz-json-1.1' },
  body: Buffer.from(JSON.stringify(body)),
});
