// RulesCompiler.
