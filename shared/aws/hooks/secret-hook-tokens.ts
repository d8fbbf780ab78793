import { createHash, randomBytes } from 'node:crypto';
import {
  GetSecretValueCommand,
  type GetSecretValueCommandOutput,
  PutSecretValueCommand,
  ResourceExistsException,
  ResourceNotFoundException,
  type SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from '@aws-sdk/client-secrets-manager';
import type { HookToken, HookTokens } from '../../ports/cluster-setup.ts';

const CURRENT = 'AWSCURRENT';
const NEXT = 'AWSPENDING';
/** 256 bits. */
const TOKEN_BYTES = 32;

/**
 * Stores tokens as versions of one secret, in the stages that Secrets Manager uses for rotation.
 */
export function secretHookTokens(secrets: SecretsManagerClient, secret: string): HookTokens {
  async function readVersion(stage: string): Promise<GetSecretValueCommandOutput | undefined> {
    try {
      return await secrets.send(new GetSecretValueCommand({ SecretId: secret, VersionStage: stage }));
    } catch (error) {
      if (error instanceof ResourceNotFoundException && stage === NEXT) return undefined;
      throw error;
    }
  }

  /** A promoted version may still have its pending stage; it is then not the next token. */
  async function readVersions() {
    const [current, pending] = await Promise.all([readVersion(CURRENT), readVersion(NEXT)]);
    return { current, pending, isNext: pending && pending.VersionId !== current?.VersionId };
  }

  const moveStage = (
    VersionStage: string,
    from: GetSecretValueCommandOutput | undefined,
    to?: GetSecretValueCommandOutput,
  ) =>
    secrets.send(
      new UpdateSecretVersionStageCommand({
        SecretId: secret,
        VersionStage,
        RemoveFromVersionId: from?.VersionId,
        ...(to && { MoveToVersionId: to.VersionId }),
      }),
    );

  return {
    async read() {
      const { current, pending, isNext } = await readVersions();
      return { current: toToken(current), ...(isNext && { next: toToken(pending) }) };
    },
    async propose() {
      const current = await readVersion(CURRENT);
      try {
        await secrets.send(
          new PutSecretValueCommand({
            SecretId: secret,
            // If two processes propose at once, both get the same version.
            ClientRequestToken: toSuccessorId(current?.VersionId),
            SecretString: randomBytes(TOKEN_BYTES).toString('base64url'),
            VersionStages: [NEXT],
          }),
        );
      } catch (error) {
        if (!(error instanceof ResourceExistsException)) throw error;
      }
      return toToken(await readVersion(NEXT));
    },
    async promote() {
      const { current, pending, isNext } = await readVersions();
      if (isNext) await moveStage(CURRENT, current, pending);
      if (pending) await moveStage(NEXT, pending);
    },
  };
}

/** The id of the version after `versionId`, equal for all callers. */
const toSuccessorId = (versionId = ''): string => createHash('sha256').update(versionId).digest('hex');

/** The template creates the secret with a text, so a secret without one is not ours. */
function toToken(version: GetSecretValueCommandOutput | undefined): HookToken {
  const { SecretString: text, CreatedDate } = version ?? {};
  if (text === undefined || text === '') throw new TypeError("the hooks' secret holds no token");
  return { text, createdAt: CreatedDate?.getTime() ?? 0 };
}
