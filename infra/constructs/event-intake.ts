import { Validations } from 'aws-cdk-lib';
import { FunctionUrlAuthType } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { HandlerFunction, type HandlerFunctionProps } from './handler-function.ts';
import { PrivateHooks } from './private-hooks.ts';

export interface EventIntakeProps extends HandlerFunctionProps {
  /** Absent: the address is public. */
  readonly vpcEndpointId?: string;
}

/** 43 letters and digits are 256 bits. */
const TOKEN_LENGTH = 43;
const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';

/**
 * The address that the API server's hooks call. The API server cannot say who it is, so a token in
 * the path keeps strangers out, and a call can do no more than make somebody look.
 */
export class EventIntake extends Construct {
  readonly fn: HandlerFunction;
  /** Where the API server calls, without the secret part of the path; ends in `/`. */
  readonly address: string;
  /** The token, for whoever writes the hooks into the cluster. */
  readonly token: Secret;

  constructor(scope: Construct, id: string, { vpcEndpointId, ...props }: EventIntakeProps) {
    super(scope, id);
    this.token = new Secret(this, 'Token', {
      description: 'Last part of the path that the API server calls',
      generateSecretString: { passwordLength: TOKEN_LENGTH, excludeCharacters: PUNCTUATION },
    });
    Validations.of(this.token).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason:
        'The set-up function rotates it, for a new token goes into the cluster at the same time.',
    });
    this.fn = new HandlerFunction(this, 'Function', {
      ...props,
      environment: {
        ...props.environment,
        // Of the tokens that open. Written by who sets up the cluster, which alone can read them.
        HOOK_DIGESTS: '',
      },
    });
    this.address =
      vpcEndpointId === undefined
        ? this.addPublicAddress()
        : new PrivateHooks(this, 'Private', { fn: this.fn, vpcEndpointId }).address;
  }

  /** With both permissions that a public address needs: to call it, and to invoke through it. */
  private addPublicAddress(): string {
    return this.fn.addFunctionUrl({ authType: FunctionUrlAuthType.NONE }).url;
  }
}
