from raw import hang

hang()
