import { GetParameterCommand, ParameterNotFound, type SSMClient } from '@aws-sdk/client-ssm';

/** Absent: there is no such parameter, or it holds something else. */
export async function imageIdIn(ssm: SSMClient, Name: string): Promise<string | undefined> {
  try {
    const { Parameter } = await ssm.send(new GetParameterCommand({ Name }));
    return Parameter?.Value?.startsWith('ami-') ? Parameter.Value : undefined;
  } catch (error) {
    if (error instanceof ParameterNotFound) return undefined;
    throw error;
  }
}
