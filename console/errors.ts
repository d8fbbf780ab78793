/** The port that was asked for is taken, or none near the usual one is free. */
export class PortInUseError extends Error {
  override readonly name = 'PortInUseError';
  readonly port: number;

  constructor(port: number, options?: ErrorOptions) {
    super(`port ${port} is in use`, options);
    this.port = port;
  }
}

/** A request names a node or workload that is not there. */
export class UnknownObjectError extends Error {
  override readonly name = 'UnknownObjectError';
  readonly object: string;

  constructor(object: string, options?: ErrorOptions) {
    super(`there is no ${object}`, options);
    this.object = object;
  }
}
