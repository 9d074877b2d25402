/** The documentation page: Swagger UI from its package's own files, and the OpenAPI document that it shows. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import type { RestSettings } from '../config/settings/rest.ts';

const staticFolder = (): string =>
  join(dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui/package.json')), 'static');

const page = (path: string, documentUrl: string, title: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="${path}/swagger-ui.css">
<link rel="icon" href="data:,">
<style>body { margin: 0 } .topbar { display: none }</style>
</head>
<body>
<div id="documentation"></div>
<script src="${path}/swagger-ui-bundle.js"></script>
<script>
SwaggerUIBundle({
  url: ${JSON.stringify(documentUrl)},
  dom_id: '#documentation',
  deepLinking: true,
  docExpansion: 'list',
  tryItOutEnabled: true,
  validatorUrl: null,
})
</script>
</body>
</html>
`;

/**
 * Serves the page, its files and the document, whose YAML text is asked for when the first client wants it. Nothing is
 * fetched from elsewhere. Gives the URL of the document.
 */
export const registerDocumentation = async (
  app: FastifyInstance,
  settings: RestSettings['openapi'],
  title: string,
  document: () => string,
): Promise<string> => {
  const path = `/api/v1/${settings.swaggerUIPath.replaceAll(/^\/+|\/+$/g, '')}`;
  const documentUrl = `${path}/${settings.specFileName}.yml`;
  const html = page(path, documentUrl, title);
  app.get(path, (_request, reply) => {
    reply.header('cache-control', 'public, max-age=60').type('text/html; charset=utf-8').send(html);
  });
  let text: string | undefined;
  app.get(documentUrl, (_request, reply) => {
    text ??= document();
    reply.header('cache-control', 'public, max-age=60').type('text/yaml; charset=utf-8').send(text);
  });
  await app.register(fastifyStatic, {
    root: staticFolder(),
    prefix: `${path}/`,
    index: false,
    decorateReply: false,
    maxAge: '1d',
  });
  return documentUrl;
};
