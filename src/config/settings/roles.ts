/** What `kagami.roles` chooses among: the parts of Kagami that several processes can share. */
export const roles = ['importer', 'rest', 'grpc', 'rosetta'] as const;
