from raw import hang, listen

door = listen(backlog=0)
hang()
