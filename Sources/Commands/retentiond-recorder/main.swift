// All code is in functions, because closures at top level belong to the main actor and trap on other threads.
RecorderCommand.main()
