import { DescribeImagesCommand, type EC2Client } from '@aws-sdk/client-ec2';
import { type Answer, type Listening, serve } from '../lab/forward.ts';
import { textAt } from '../lab/json.ts';

/**
 * Serves the public SSM parameters of every image family; the emulator has images, but not those of
 * EKS.
 */
export async function startImageParameters(ec2: EC2Client): Promise<Listening> {
  const { Images = [] } = await ec2.send(new DescribeImagesCommand({ Owners: ['amazon'] }));
  const idOf = (architecture: string, isWindows: boolean): string | undefined =>
    Images.find((image) => image.Architecture === architecture && !isWindows === !image.Platform)?.ImageId;

  return serve(async ({ body }) => {
    const request: unknown = JSON.parse(body.toString());
    const name = textAt(request, 'Name');
    const architecture = name.includes('arm64') ? 'arm64' : 'x86_64';
    const id = idOf(architecture, name.includes('Windows'));
    // Images for accelerators are left out: the run launches none.
    const isPublished = /image_id$/.test(name) && !/nvidia|neuron|gpu/.test(name);
    return isPublished && id
      ? json(200, { Parameter: { Name: name, Type: 'String', Value: id } })
      : json(400, { __type: 'ParameterNotFound' });
  });
}

const json = (status: number, body: object): Answer => ({
  status,
  headers: { 'content-type': 'application/x-amz-json-1.1' },
  body: Buffer.from(JSON.stringify(body)),
});
