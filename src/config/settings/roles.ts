/** What `kagami.roles` chooses among: the parts of Kagami that several processes can share. */
export const roles = ['importer', 'rest', 'grpc', 'rosetta'] as const;

export type Role = (typeof roles)[number];

/** Roles that listen on a port of their own. The HTTP ports, which also answer health and metrics, are those of `rest`. */
export type InterfaceRole = Exclude<Role, 'importer' | 'rest'>;
