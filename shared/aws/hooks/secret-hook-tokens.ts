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

/** Tokens as versions of one secret, in the stages that Secrets Manager has for a rotation. */
export function secretHookTokens(secrets: SecretsManagerClient, secret: string): HookTokens {
  async function version(stage: string): Promise<GetSecretValueCommandOutput | undefined> {
    try {
      return await secrets.send(
        new GetSecretValueCommand({ SecretId: secret, VersionStage: stage }),
      );
    } catch (error) {
      if (error instanceof ResourceNotFoundException && stage === NEXT) return undefined;
      throw error;
    }
  }

  /** A version that was promoted may still have its old stage: then it is no next one. */
  async function both() {
    const [current, pending] = await Promise.all([version(CURRENT), version(NEXT)]);
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
      const { current, pending, isNext } = await both();
      return { current: tokenOf(current), ...(isNext && { next: tokenOf(pending) }) };
    },
    async propose() {
      const current = await version(CURRENT);
      try {
        await secrets.send(
          new PutSecretValueCommand({
            SecretId: secret,
            // Of two that propose at once, the second takes what the first has made.
            ClientRequestToken: successorOf(current?.VersionId),
            SecretString: randomBytes(TOKEN_BYTES).toString('base64url'),
            VersionStages: [NEXT],
          }),
        );
      } catch (error) {
        if (!(error instanceof ResourceExistsException)) throw error;
      }
      return tokenOf(await version(NEXT));
    },
    async promote() {
      const { current, pending, isNext } = await both();
      if (isNext) await moveStage(CURRENT, current, pending);
      if (pending) await moveStage(NEXT, pending);
    },
  };
}

/** The id of the version that follows another: the same for all who ask. */
const successorOf = (versionId = ''): string =>
  createHash('sha256').update(versionId).digest('hex');

/** A secret without a text is none of ours: the template makes it with one. */
function tokenOf(version: GetSecretValueCommandOutput | undefined): HookToken {
  const { SecretString: text, CreatedDate } = version ?? {};
  if (text === undefined || text === '') throw new TypeError("the hooks' secret holds no token");
  return { text, createdAt: CreatedDate?.getTime() ?? 0 };
}
