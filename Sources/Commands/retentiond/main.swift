// Everything is in functions: closures at top level belong to the main actor and trap on other threads.
Daemon.main()
