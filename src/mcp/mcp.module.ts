import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module';
import { AuthoringModule } from '../authoring/authoring.module';
import { CatalogModule } from '../catalog/catalog.module';
import { PlayModule } from '../play/play.module';
import { McpController } from './mcp.controller';
import { PromptsAndResources } from './prompts-and-resources';
import { ToolsService } from './tools.service';

/**
 * The endpoint of assistants at /mcp (docs/guides/assistants.md):
 *
 * - `mcp.controller.ts` speaks the protocol, by the official SDK;
 * - `tool-definitions.ts` is what assistants read about the tools;
 * - `tools.service.ts` calls the services behind them;
 * - `prompts-and-resources.ts` has the rest.
 */
@Module({
  imports: [AccessModule, AuthoringModule, CatalogModule, PlayModule],
  controllers: [McpController],
  providers: [PromptsAndResources, ToolsService],
})
export class McpModule {}
