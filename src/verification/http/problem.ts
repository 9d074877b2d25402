/** Refusals of verification's HTTP interface and the forms that clients know them in. */

interface SchemaFault {
  readonly path: string;
  readonly message: string;
  readonly errorCode?: string;
}

/** An answer that says no. `body` is its JSON in the form of the first interface; the second only takes the message. */
export class VerificationProblem extends Error {
  readonly status: number;
  readonly body: object;
  /** What the second interface calls it. */
  readonly customCode: string;

  constructor(status: number, message: string, body: object, customCode: string) {
    super(message);
    this.name = 'VerificationProblem';
    this.status = status;
    this.body = body;
    this.customCode = customCode;
  }
}

/** `{error, message}`, for whatever isn't about the form of a request. */
export const problem = (status: number, message: string, customCode = 'invalid_parameter'): VerificationProblem =>
  new VerificationProblem(status, message, { error: message, message }, customCode);

const schemaProblem = (message: string, fault: SchemaFault, status = 400): VerificationProblem =>
  new VerificationProblem(status, message, { message, errors: [fault] }, 'invalid_parameter');

/** `where` is the place of the object, as in `/body/contracts/0`. */
export const missingProperty = (where: string, name: string): VerificationProblem => {
  const message = `must have required property '${name}'`;
  return schemaProblem(`request${where} ${message}`, {
    path: `${where}/${name}`,
    message,
    errorCode: 'required.openapi.validation',
  });
};

/** A value that breaks a rule; `rule` is the word that JSON schema has for it. */
export const invalidValue = (path: string, message: string, rule: string): VerificationProblem =>
  schemaProblem(`request${path} ${message}`, { path, message, errorCode: `${rule}.openapi.validation` });

export const unknownQueryParameter = (name: string): VerificationProblem => {
  const message = `Unknown query parameter '${name}'`;
  return schemaProblem(message, { path: `/query/${name}`, message });
};

export const rawCommas = (name: string): VerificationProblem => {
  const message = `Parameter '${name}' must be url encoded. Its value may not contain reserved characters.`;
  return schemaProblem(message, { path: `/query/${name}`, message });
};

export const unsupportedMedia = (path: string, contentType: string | undefined): VerificationProblem => {
  const message = `unsupported media type ${contentType}`;
  return schemaProblem(message, { path, message }, 415);
};
