import { Validations } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FunctionUrlAuthType } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { HandlerFunction, type HandlerFunctionProps } from './handler-function.ts';
import { PrivateHooks } from './private-hooks.ts';

export interface EventIntakeProps extends HandlerFunctionProps {
  /** Undefined without a private API. */
  readonly vpcEndpointId?: string;
  /** The address that the options give to the API server. */
  readonly ownAddress?: string;
  /** False in regions without function URLs. */
  readonly hasUrl: boolean;
}

/** 43 letters and digits carry 256 bits. */
const TOKEN_LENGTH = 43;
const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';

/**
 * The address that the API server's webhooks call. The API server cannot authenticate itself, so a
 * token in the path does; a call can only trigger a reconcile.
 */
export class EventIntake extends Construct {
  readonly fn: HandlerFunction;
  /** The address without the secret part of the path; ends in `/`. */
  readonly address: string;
  /** Calls that were rejected, as Lambda or API Gateway counts them free of charge. */
  readonly rejections: Metric;
  /** The token, read by the function that writes the webhooks. */
  readonly token: Secret;

  constructor(scope: Construct, id: string, props: EventIntakeProps) {
    const { vpcEndpointId, ownAddress, hasUrl, ...rest } = props;
    super(scope, id);
    this.token = new Secret(this, 'Token', {
      description: 'Last part of the path that the API server calls',
      ...(rest.key && { encryptionKey: props.key }),
      generateSecretString: { passwordLength: TOKEN_LENGTH, excludeCharacters: PUNCTUATION },
    });
    Validations.of(this.token).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'WebhookControl rotates it each week, because a new token goes into the cluster at the same time.',
    });
    this.fn = new HandlerFunction(this, 'Function', {
      ...rest,
      environment: {
        ...rest.environment,
        // Digests of the valid tokens. The cluster-setup function writes them; it alone may read
        // the tokens.
        HOOK_DIGESTS: '',
      },
    });
    if (vpcEndpointId === undefined) {
      const url = hasUrl ? this.addPublicAddress() : undefined;
      const address = url ?? ownAddress;
      if (address === undefined) throw new Error('the intake has neither a URL nor another address');
      this.address = address;
      this.rejections = new Metric({
        namespace: 'AWS/Lambda',
        metricName: 'Url4xxCount',
        dimensionsMap: { FunctionName: this.fn.functionName },
      });
    } else {
      const hooks = new PrivateHooks(this, 'Private', { fn: this.fn, vpcEndpointId });
      this.address = hooks.address;
      this.rejections = hooks.rejections;
    }
  }

  /** A public function URL needs both permissions: InvokeFunctionUrl and InvokeFunction. */
  private addPublicAddress(): string {
    return this.fn.addFunctionUrl({ authType: FunctionUrlAuthType.NONE }).url;
  }
}
