def campaign(program, folder, options):
    return 0
